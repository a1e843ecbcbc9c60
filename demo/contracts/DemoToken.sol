// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title Token of the demonstration
/// @notice Its deployer may mint up to the cap.
contract DemoToken is ERC20, Ownable {
    uint256 public constant CAP = 1_000_000 ether;

    constructor() ERC20("Demonstration Token", "DEMO") Ownable(msg.sender) {}

    function mint(address to, uint256 value) external onlyOwner {
        // A readable reason, which a simulation returns as the error of its call.
        require(totalSupply() + value <= CAP, "DemoToken: cap exceeded");
        _mint(to, value);
    }
}
