"""Boards through LAVA: initramfs, job rendering, execution, console."""
