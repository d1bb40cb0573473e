/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

/* What boots and prints. */
u32 length(const char *text);
void say(const char *text);
void say_number(u32 number);
/* Append to a text of some KiB; return its end. */
char *put(char *end, const char *text);
char *put_number(char *end, u32 number, u32 digits);
void send_file(const char *name, const char *text);

/* What is measured: each step takes so many turns of a loop. */
void spend(u32 turns);
int feature(const char *name);
void context_switch(void);
