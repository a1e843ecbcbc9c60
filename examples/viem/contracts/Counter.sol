// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Counts, shows the block that a call sees, and fails in each way.
contract Counter {
    error TooLarge(uint256 value, uint256 limit);

    event Counted(address indexed by, uint256 value);

    uint256 public count = 5;
    mapping(address => uint256) public counts;

    function add(uint256 value) external returns (uint256) {
        if (value > 1_000) revert TooLarge(value, 1_000);
        count += value;
        counts[msg.sender] += value;
        emit Counted(msg.sender, value);
        return count;
    }

    function subtract(uint256 value) external {
        count -= value;
    }

    function fail(string calldata reason) external {
        count = 0;
        revert(reason);
    }

    function blockValues()
        external
        view
        returns (uint256 number, uint256 timestamp, uint256 baseFee, address coinbase, uint256 gasLimit)
    {
        return (block.number, block.timestamp, block.basefee, block.coinbase, block.gaslimit);
    }

    receive() external payable {}
}
