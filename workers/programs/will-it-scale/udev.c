/* SPDX-License-Identifier: GPL-2.0-only */
/* What hwloc calls of libudev, on a machine that has none. */
#include <stddef.h>

void *udev_new(void)
{
	return NULL;
}

void *udev_unref(void *udev)
{
	return udev;
}

void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name)
{
	return NULL;
}

void *udev_device_unref(void *device)
{
	return device;
}

const char *udev_device_get_property_value(void *device, const char *key)
{
	return NULL;
}
