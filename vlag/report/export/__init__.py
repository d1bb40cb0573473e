"""What is on record, in the forms that other programs read."""
