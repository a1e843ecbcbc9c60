// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts-upgradeable/proxy/utils/UUPSUpgradeable.sol";

contract Box is Initializable {
    uint256 public value;

    function initialize(uint256 value_) external initializer {
        value = value_;
    }

    function version() external pure virtual returns (string memory) {
        return "1";
    }
}

contract BoxV2 is Box {
    function increment() external {
        value++;
    }

    function version() external pure override returns (string memory) {
        return "2";
    }
}

contract Ledger is Initializable, OwnableUpgradeable, UUPSUpgradeable {
    uint256 public total;

    function initialize(address owner) external initializer {
        __Ownable_init(owner);
    }

    function enter(uint256 amount) external {
        total += amount;
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

/// Adds no state that needs an initializer.
/// @custom:oz-upgrades-unsafe-allow missing-initializer
contract LedgerV2 is Ledger {
    function withdraw(uint256 amount) external {
        total -= amount;
    }
}
