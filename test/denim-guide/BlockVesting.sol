// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Vests an amount over a number of blocks, on the assumption that a block takes two seconds.
contract BlockVesting {
    uint256 public immutable total;
    uint256 public immutable startBlock = block.number;
    uint256 public immutable blocks;

    constructor(uint256 total_, uint256 duration) {
        total = total_;
        blocks = duration / 2;
    }

    function vested() external view returns (uint256) {
        uint256 passed = block.number - startBlock;
        return passed >= blocks ? total : (total * passed) / blocks;
    }
}
