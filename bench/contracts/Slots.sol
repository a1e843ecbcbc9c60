// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Writes many slots of storage.
contract Slots {
    function write(uint256 from, uint256 count) external {
        for (uint256 slot = from; slot < from + count; ++slot) {
            assembly ("memory-safe") {
                sstore(slot, add(slot, 1))
            }
        }
    }
}
