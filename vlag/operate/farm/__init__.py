"""The farm: its inventory, its LAVA servers, the checks of its boards, and their queue."""
