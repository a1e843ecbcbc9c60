// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Storage layout of the policy registry
library PolicyStorage {
    /// @custom:storage-location erc7201:base.policy_registry
    struct Registry {
        /// Bit 255: the policy exists; bits 0 to 159: its admin.
        mapping(uint64 policyId => uint256) policies;
        mapping(uint64 policyId => mapping(address account => bool)) members;
        mapping(uint64 policyId => address) pendingAdmins;
        uint56 nextCounter;
        mapping(uint64 policyId => uint64[]) children;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("base.policy_registry")) - 1)) & ~0xff
    bytes32 private constant ROOT = 0x00503aeb06982fa1fe3151dc68f90b3946c55c449dfd447e49dcaece71ba4a00;

    function registry() internal pure returns (Registry storage place) {
        assembly {
            place.slot := ROOT
        }
    }
}
