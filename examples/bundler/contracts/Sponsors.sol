// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A user operation of EntryPoint 0.6.
struct UserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    uint256 callGasLimit;
    uint256 verificationGasLimit;
    uint256 preVerificationGas;
    uint256 maxFeePerGas;
    uint256 maxPriorityFeePerGas;
    bytes paymasterAndData;
    bytes signature;
}

/// A user operation of EntryPoint 0.7 and 0.8.
struct PackedUserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    bytes32 accountGasLimits;
    uint256 preVerificationGas;
    bytes32 gasFees;
    bytes paymasterAndData;
    bytes signature;
}

/// A paymaster that pays for every operation until a time. It checks no sender: use it on development networks only.
abstract contract Sponsor {
    uint48 internal immutable validUntil;

    constructor(uint48 validUntil_) {
        validUntil = validUntil_;
    }

    function validatePaymasterUserOp(
        UserOperation calldata,
        bytes32,
        uint256
    ) external view returns (bytes memory context, uint256) {
        return (context, validationData());
    }

    function validatePaymasterUserOp(
        PackedUserOperation calldata,
        bytes32,
        uint256
    ) external view returns (bytes memory context, uint256) {
        return (context, validationData());
    }

    function validationData() internal view virtual returns (uint256);
}

/// Returns the time, and the entry point compares it with the clock.
contract TimeLimitedSponsor is Sponsor {
    constructor(uint48 validUntil_) Sponsor(validUntil_) {}

    function validationData() internal view override returns (uint256) {
        return uint256(validUntil) << 160;
    }
}

/// Reads the clock during validation, which ERC-7562 forbids (OP-011): the result may change until the bundle is included.
contract ClockReadingSponsor is Sponsor {
    constructor(uint48 validUntil_) Sponsor(validUntil_) {}

    function validationData() internal view override returns (uint256) {
        return block.timestamp <= validUntil ? 0 : 1;
    }
}
