"""What a release consists of: its parts, their licences, and what is known against them."""
