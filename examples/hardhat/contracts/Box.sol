// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";

contract Box is Initializable {
    event ValueChanged(uint256 value);

    uint256 public value;

    function initialize(uint256 value_) external initializer {
        value = value_;
    }

    function store(uint256 value_) external {
        value = value_;
        emit ValueChanged(value_);
    }

    function version() external pure virtual returns (string memory) {
        return "1";
    }
}

contract BoxV2 is Box {
    uint256 public increments;

    function increment() external {
        value++;
        increments++;
        emit ValueChanged(value);
    }

    function version() external pure override returns (string memory) {
        return "2";
    }
}

/// Its layout does not fit Box: the upgrade must be refused.
contract BoxBroken is Initializable {
    string public name;
    uint256 public value;
}
