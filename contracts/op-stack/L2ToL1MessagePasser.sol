// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Message passer of OP-stack chains
/// @notice Stores the hash of every message to layer 1. The withdrawalsRoot of a layer-2 header is the storage root of
///   this contract's proxy (Isthmus), against which messages are proven. Interface, storage and answers are those of
///   the OP stack's contract.
contract L2ToL1MessagePasser {
    uint256 private constant RECEIVE_GAS_LIMIT = 100_000;

    uint16 public constant MESSAGE_VERSION = 1;

    mapping(bytes32 withdrawalHash => bool) public sentMessages;

    /// @dev Without the version.
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
    event WithdrawerBalanceBurnt(uint256 indexed amount);

    receive() external payable {
        initiateWithdrawal(msg.sender, RECEIVE_GAS_LIMIT, "");
    }

    /// @notice Destroys the ether of all messages: layer 1 pays it out.
    function burn() external {
        uint256 amount = address(this).balance;
        // Ether of a contract that destroys itself in its creation, in favour of itself, is burnt (EIP-6780).
        // The initcode is ADDRESS SELFDESTRUCT.
        assembly {
            mstore(0, shl(240, 0x30ff))
            if iszero(create(amount, 0, 2)) { revert(0, 0) }
        }
        emit WithdrawerBalanceBurnt(amount);
    }

    function version() external pure returns (string memory) {
        return "1.2.0";
    }

    /// @notice The nonce of the next message; the upper two bytes are the version.
    function messageNonce() public view returns (uint256) {
        return (uint256(MESSAGE_VERSION) << 240) | nextNonce;
    }

    /// @notice Sends a message to layer 1, with any ether attached.
    /// @param gasLimit minimum gas for the call on layer 1
    function initiateWithdrawal(address target, uint256 gasLimit, bytes memory data) public payable {
        uint256 nonce = messageNonce();
        bytes32 withdrawalHash = keccak256(abi.encode(nonce, msg.sender, target, msg.value, gasLimit, data));
        sentMessages[withdrawalHash] = true;
        emit MessagePassed(nonce, msg.sender, target, msg.value, gasLimit, data, withdrawalHash);
        unchecked {
            ++nextNonce;
        }
    }
}
