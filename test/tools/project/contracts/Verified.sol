// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Linked, because its function is external.
library Rates {
    function apply_(uint256 amount, uint256 rate) external pure returns (uint256) {
        return (amount * rate) / 10_000;
    }
}

contract Rated {
    address public immutable owner;
    uint256 public immutable rate;
    string public name;

    constructor(uint256 rate_, string memory name_) {
        owner = msg.sender;
        rate = rate_;
        name = name_;
    }

    function quote(uint256 amount) external view returns (uint256) {
        return Rates.apply_(amount, rate);
    }
}

/// A proxy. The upgrades plugin takes those with the slot of EIP-1967 for its own.
contract Relay {
    bytes32 private constant SLOT = keccak256("Relay.implementation");

    constructor(address implementation) {
        bytes32 slot = SLOT;
        assembly {
            sstore(slot, implementation)
        }
    }

    fallback() external payable {
        bytes32 slot = SLOT;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch success
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
