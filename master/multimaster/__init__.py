"""What only several masters on one database need."""
