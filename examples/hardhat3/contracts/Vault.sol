// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Ether that its owner can withdraw after a time.
contract Vault {
    error NotYet(uint256 unlockTime, uint256 now_);
    error NotOwner(address caller);

    event Deposited(address indexed from, uint256 amount);
    event Withdrawn(address indexed to, uint256 amount, uint256 when);

    address public immutable owner;
    uint256 public immutable unlockTime;

    constructor(uint256 unlockTime_) payable {
        require(unlockTime_ > block.timestamp, "Unlock time should be in the future");
        owner = msg.sender;
        unlockTime = unlockTime_;
    }

    receive() external payable {
        emit Deposited(msg.sender, msg.value);
    }

    function withdraw() external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        if (block.timestamp < unlockTime) revert NotYet(unlockTime, block.timestamp);
        uint256 amount = address(this).balance;
        emit Withdrawn(owner, amount, block.timestamp);
        (bool sent, ) = owner.call{value: amount}("");
        require(sent, "Transfer failed");
    }
}
