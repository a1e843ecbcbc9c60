// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Token.sol";

/// Many transfers in one call: the overhead of a request would hide a single one.
contract Transfers {
    Token private immutable token = new Token();

    function transfers(uint256 rounds) external returns (uint256 left) {
        for (uint256 i = 0; i < rounds; ++i) token.transfer(address(uint160(0x7777777777 + (i % 64))), 1);
        left = token.balanceOf(address(this));
    }
}
