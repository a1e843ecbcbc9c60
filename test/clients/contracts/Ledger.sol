// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What the sessions of the client libraries deploy, call and see fail
contract Ledger {
    address public immutable owner;
    uint256 public total;

    event Recorded(address indexed by, uint256 indexed amount, string note);

    error AmountAboveLimit(address by, uint256 amount, uint256 limit);

    constructor(uint256 opening) {
        owner = msg.sender;
        total = opening;
    }

    /// @return The new total
    function record(uint256 amount, string calldata note) external returns (uint256) {
        require(bytes(note).length > 0, "Ledger: a note is needed");
        if (amount > 1000) revert AmountAboveLimit(msg.sender, amount, 1000);
        total += amount;
        emit Recorded(msg.sender, amount, note);
        return total;
    }

    /// @notice Panics with 0x11 as soon as more is withdrawn than there is
    function withdraw(uint256 amount) external {
        total -= amount;
    }
}
