// SPDX-License-Identifier: GPL-2.0-only
/* The serial line, and files on it as lava-jobs/boot/init.sh sends them. */
#include "loop.h"

static void out(unsigned short port, u8 value)
{
	asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static u8 in(unsigned short port)
{
	u8 value;

	asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static void say_byte(u8 byte)
{
	while (!(in(0x3fd) & 0x20))
		;
	out(0x3f8, byte);
}

u32 length(const char *text)
{
	u32 n = 0;

	while (text[n])
		n++;
	return n;
}

void say(const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			say_byte('\r');
		say_byte(*text);
	}
}

char *put(char *end, const char *text)
{
	while (*text)
		*end++ = *text++;
	*end = 0;
	return end;
}

char *put_number(char *end, u32 number, u32 digits)
{
	char reversed[12];
	u32 n = 0;

	while (number || n < digits) {
		reversed[n++] = '0' + number % 10;
		number /= 10;
	}
	while (n)
		*end++ = reversed[--n];
	*end = 0;
	return end;
}

void say_number(u32 number)
{
	char text[12];

	put_number(text, number, 1);
	say(text);
}

static u32 turned(u32 x, u32 by)
{
	return x >> by | x << (32 - by);
}

/* The roots' fractions of SHA-256 are computed, not listed: of 2^32 times them, the whole part. */
static u32 root_fraction(u32 prime, u32 power)
{
	u64 low = 0, high = (u64)1 << (power == 2 ? 37 : 36);

	/* The largest x, in units of 2^-32, with x^power <= prime. */
	while (high - low > 1) {
		u64 x = (low + high) / 2;
		/* x^power in steps of 32 bits: a product of limbs. */
		u32 a[8] = { 1 }, limbs = 1;

		for (u32 i = 0; i < power; i++) {
			u32 b[8] = { 0 };

			for (u32 j = 0; j < limbs; j++) {
				u64 carry = (u64)a[j] * (u32)x + b[j];
				u64 next = (u64)a[j] * (u32)(x >> 32) + b[j + 1] + (carry >> 32);

				b[j] = (u32)carry;
				b[j + 1] = (u32)next;
				b[j + 2] += (u32)(next >> 32);
			}
			for (u32 j = 0; j < 8; j++)
				a[j] = b[j];
			limbs += 2;
			if (limbs > 6)
				limbs = 6;
		}
		/* It is at most prime * 2^(32 * power) iff the limb there is smaller. */
		int more = 0;

		for (u32 j = power + 1; j < 8; j++)
			more |= a[j] != 0;
		if (more || a[power] >= prime)
			high = x;
		else
			low = x;
	}
	return (u32)low;
}

static u32 h[8], k[64];

static void sha256_begin(void)
{
	u32 n = 0;

	for (u32 candidate = 2; n < 64; candidate++) {
		u32 d = 2;

		while (d * d <= candidate && candidate % d)
			d++;
		if (d * d <= candidate)
			continue;
		if (n < 8)
			h[n] = root_fraction(candidate, 2);
		k[n++] = root_fraction(candidate, 3);
	}
}

static void sha256_block(const u8 *block)
{
	u32 w[64], v[8];

	for (u32 i = 0; i < 16; i++)
		w[i] = block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
	for (u32 i = 16; i < 64; i++) {
		u32 a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] +
		       (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
	}
	for (u32 i = 0; i < 8; i++)
		v[i] = h[i];
	for (u32 i = 0; i < 64; i++) {
		u32 e = v[4], a = v[0];
		u32 t1 = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
			 ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
		u32 t2 = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
			 ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		for (u32 j = 7; j; j--)
			v[j] = v[j - 1];
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (u32 i = 0; i < 8; i++)
		h[i] += v[i];
}

static void say_sha256(const char *text, u32 n)
{
	static u8 padded[8192];
	u32 blocks = (n + 9 + 63) / 64;

	for (u32 i = 0; i < blocks * 64; i++)
		padded[i] = i < n ? text[i] : 0;
	padded[n] = 0x80;
	padded[blocks * 64 - 3] = n >> 13;
	padded[blocks * 64 - 2] = n >> 5;
	padded[blocks * 64 - 1] = n << 3;
	sha256_begin();
	for (u32 i = 0; i < blocks; i++)
		sha256_block(padded + 64 * i);
	for (u32 i = 0; i < 64; i++)
		say_byte("0123456789abcdef"[h[i / 8] >> (28 - 4 * (i % 8)) & 15]);
}

static u32 crc32(const char *text, u32 n)
{
	u32 crc = ~0u;

	for (u32 i = 0; i < n; i++) {
		crc ^= (u8)text[i];
		for (u32 bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static u8 *put_word(u8 *end, u32 word, u32 bytes)
{
	while (bytes--) {
		*end++ = word;
		word >>= 8;
	}
	return end;
}

/* As gzip does it, in one block that is stored; at most some KiB. */
void send_file(const char *name, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static u8 packed[8192];
	u32 n = length(text), all;
	u8 *end = put_word(packed, 0x00088b1f, 4);

	end = put_word(put_word(end, 0, 4), 0x03ff, 2);
	end = put_word(put_word(put_word(end, 1, 1), n, 2), ~n, 2);
	for (u32 i = 0; i < n; i++)
		*end++ = text[i];
	end = put_word(put_word(end, crc32(text, n), 4), n, 4);
	all = end - packed;
	say("@vlag:file ");
	say(name);
	say(" ");
	say_number(n);
	say(" ");
	say_sha256(text, n);
	for (u32 i = 0; i < all; i += 3) {
		u32 three = packed[i] << 16 | (i + 1 < all ? packed[i + 1] << 8 : 0) |
			    (i + 2 < all ? packed[i + 2] : 0);

		if (i % 720 == 0)
			say("\n@vlag:data ");
		for (u32 j = 0; j < 4; j++)
			say_byte(i + j <= all ? digits[three >> (18 - 6 * j) & 63] : '=');
	}
	say("\n@vlag:eof ");
	say(name);
	say("\n");
}
