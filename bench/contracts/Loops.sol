// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Loops that keep an interpreter busy with one kind of work each. The results are not used.
contract Loops {
    /// Multiply, add, xor, shift.
    function arith(uint256 rounds) external pure returns (uint256 value) {
        unchecked {
            value = 1;
            for (uint256 i = 0; i < rounds; ++i) {
                value = value * 6364136223846793005 + 1442695040888963407;
                value ^= value >> 17;
                value += i;
            }
        }
    }

    /// MULMOD and ADDMOD with a modulus of 256 bits.
    function mulmods(uint256 rounds) external pure returns (uint256 value) {
        uint256 modulus = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
        value = 0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef;
        unchecked {
            for (uint256 i = 0; i < rounds; ++i) {
                value = mulmod(value, value, modulus);
                value = addmod(value, i, modulus);
            }
        }
    }

    /// KECCAK256 of 64 bytes.
    function keccaks(uint256 rounds) external pure returns (bytes32 value) {
        unchecked {
            for (uint256 i = 0; i < rounds; ++i) {
                assembly {
                    mstore(0, value)
                    mstore(32, i)
                    value := keccak256(0, 64)
                }
            }
        }
    }

    /// Iterates over an array with all checks of the compiler.
    function solidity(uint256 rounds) external pure returns (uint256 sum) {
        uint256[] memory values = new uint256[](100);
        for (uint256 i = 0; i < values.length; i++) values[i] = i * 3 + 1;
        for (uint256 round = 0; round < rounds; round++) {
            for (uint256 i = 0; i < values.length; i++) sum += values[i] / 2;
        }
    }
}
