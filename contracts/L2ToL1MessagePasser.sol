// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The outbox of a layer-2 chain
/// @notice Remembers the hash of every message to layer 1. A layer-2 header's withdrawalsRoot is the root of this
///   contract's
///         storage (Isthmus), which is how a message is proven. Hash and event are those of the OP stack.
contract L2ToL1MessagePasser {
    uint256 private constant RECEIVE_GAS_LIMIT = 100_000;

    uint16 public constant MESSAGE_VERSION = 1;

    mapping(bytes32 withdrawalHash => bool) public sentMessages;

    /// @dev Without the version. Starts at 1, so that this storage is never empty.
    uint240 private nextNonce;

    event MessagePassed(
        uint256 indexed nonce,
        address indexed sender,
        address indexed target,
        uint256 value,
        uint256 gasLimit,
        bytes data,
        bytes32 withdrawalHash
    );

    receive() external payable {
        initiateWithdrawal(msg.sender, RECEIVE_GAS_LIMIT, "");
    }

    /// @notice The next message's nonce; the upper two bytes are the version.
    function messageNonce() public view returns (uint256) {
        return (uint256(MESSAGE_VERSION) << 240) | nextNonce;
    }

    /// @notice Leaves a message, and any ether sent along, for layer 1.
    /// @param gasLimit gas that the call on layer 1 gets at least
    function initiateWithdrawal(address target, uint256 gasLimit, bytes memory data) public payable {
        uint256 nonce = messageNonce();
        bytes32 withdrawalHash = keccak256(abi.encode(nonce, msg.sender, target, msg.value, gasLimit, data));
        sentMessages[withdrawalHash] = true;
        emit MessagePassed(nonce, msg.sender, target, msg.value, gasLimit, data, withdrawalHash);
        ++nextNonce;
    }
}
