// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

contract Ledger is Initializable, OwnableUpgradeable, UUPSUpgradeable {
    mapping(address => uint256) public entries;

    function initialize(address owner) external initializer {
        __Ownable_init(owner);
    }

    function enter(uint256 amount) external {
        entries[msg.sender] += amount;
    }

    function version() external pure virtual returns (string memory) {
        return "1";
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

/// Adds no state that needs an initializer.
/// @custom:oz-upgrades-unsafe-allow missing-initializer
contract LedgerV2 is Ledger {
    uint256 public total;

    function enterFor(address account, uint256 amount) external onlyOwner {
        entries[account] += amount;
        total += amount;
    }

    function version() external pure override returns (string memory) {
        return "2";
    }
}
