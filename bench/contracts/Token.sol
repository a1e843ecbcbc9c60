// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A plain ERC-20 token; the deployer owns the supply.
contract Token is ERC20("Token", "TOK") {
    constructor() {
        _mint(msg.sender, 1e30);
    }
}
