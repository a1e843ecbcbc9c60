// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ProxyAdminOwned} from "op-stack/ProxyAdminOwned.sol";

interface IMessagePasser {
    function initiateWithdrawal(address target, uint256 gasLimit, bytes memory data) external payable;
}

/// @title Messenger of layer 2
/// @notice Sends messages to the messenger of layer 1 and relays messages from it. A message that fails can be
///   replayed. Interface, storage and answers are those of the OP stack's contract.
contract L2CrossDomainMessenger is ProxyAdminOwned {
    event Initialized(uint8 version);
    event SentMessage(address indexed target, address sender, bytes message, uint256 messageNonce, uint256 gasLimit);
    event SentMessageExtension1(address indexed sender, uint256 value);
    event RelayedMessage(bytes32 indexed msgHash);
    event FailedRelayedMessage(bytes32 indexed msgHash);

    uint16 public constant MESSAGE_VERSION = 1;
    uint64 public constant RELAY_CONSTANT_OVERHEAD = 200_000;
    uint64 public constant MIN_GAS_DYNAMIC_OVERHEAD_NUMERATOR = 64;
    uint64 public constant MIN_GAS_DYNAMIC_OVERHEAD_DENOMINATOR = 63;
    uint64 public constant MIN_GAS_CALLDATA_OVERHEAD = 16;
    uint64 public constant RELAY_CALL_OVERHEAD = 40_000;
    uint64 public constant RELAY_RESERVED_GAS = 40_000;
    uint64 public constant RELAY_GAS_CHECK_BUFFER = 5_000;
    uint64 public constant TX_BASE_GAS = 21_000;
    uint64 public constant FLOOR_CALLDATA_OVERHEAD = 40;
    uint64 public constant ENCODING_OVERHEAD = 260;

    IMessagePasser private constant MESSAGE_PASSER = IMessagePasser(0x4200000000000000000000000000000000000016);
    /// The sender while no message is relayed: not zero, so that setting it is cheaper.
    address private constant NO_SENDER = 0x000000000000000000000000000000000000dEaD;
    /// Sender of gas estimates: a message must not fail in them, so that they find the gas with which it succeeds.
    address private constant ESTIMATOR = address(1);
    uint160 private constant ALIAS_OFFSET = uint160(0x1111000000000000000000000000000000001111);

    address private unusedBefore;
    uint8 private initialized;
    bool private initializing;
    uint256[202] private unused;
    mapping(bytes32 => bool) public successfulMessages;
    address private messageSender;
    uint240 private nonce;
    mapping(bytes32 => bool) public failedMessages;
    address public otherMessenger;

    function initialize(address other) external {
        require(initialized == 0, "Initializable: contract is already initialized");
        initialized = 1;
        if (messageSender == address(0)) messageSender = NO_SENDER;
        otherMessenger = other;
        emit Initialized(1);
    }

    function sendMessage(address target, bytes calldata message, uint32 minGasLimit) external payable {
        MESSAGE_PASSER.initiateWithdrawal{value: msg.value}(
            otherMessenger,
            baseGas(message, minGasLimit),
            abi.encodeCall(this.relayMessage, (messageNonce(), msg.sender, target, msg.value, minGasLimit, message))
        );
        emit SentMessage(target, msg.sender, message, messageNonce(), minGasLimit);
        emit SentMessageExtension1(msg.sender, msg.value);
        unchecked {
            ++nonce;
        }
    }

    /// Called by the messenger of layer 1 for a new message, and by anybody for one that failed.
    function relayMessage(
        uint256 versionedNonce,
        address sender,
        address target,
        uint256 value,
        uint256 minGasLimit,
        bytes calldata message
    ) external payable {
        uint256 version_ = versionedNonce >> 240;
        require(version_ < 2, "CrossDomainMessenger: only version 0 or 1 messages are supported at this time");
        if (version_ == 0) {
            bytes memory legacy = abi.encodeWithSignature(
                "relayMessage(address,address,bytes,uint256)", target, sender, message, versionedNonce
            );
            require(
                !successfulMessages[keccak256(legacy)], "CrossDomainMessenger: legacy withdrawal already relayed"
            );
        }
        bytes32 hash = keccak256(
            abi.encodeCall(this.relayMessage, (versionedNonce, sender, target, value, minGasLimit, message))
        );
        if (isOtherMessenger()) {
            assert(msg.value == value);
            assert(!failedMessages[hash]);
        } else {
            require(
                msg.value == 0, "CrossDomainMessenger: value must be zero unless message is from a system address"
            );
            require(failedMessages[hash], "CrossDomainMessenger: message cannot be replayed");
        }
        require(
            target != address(this) && target != address(MESSAGE_PASSER),
            "CrossDomainMessenger: cannot send message to blocked system address"
        );
        require(!successfulMessages[hash], "CrossDomainMessenger: message has already been relayed");
        if (!hasGasFor(minGasLimit) || messageSender != NO_SENDER) return fail(hash);
        messageSender = sender;
        bool isOk = callWithout(target, gasleft() - RELAY_RESERVED_GAS, value, message);
        messageSender = NO_SENDER;
        if (!isOk) return fail(hash);
        assert(!successfulMessages[hash]);
        successfulMessages[hash] = true;
        emit RelayedMessage(hash);
    }

    function fail(bytes32 hash) private {
        failedMessages[hash] = true;
        emit FailedRelayedMessage(hash);
        if (tx.origin == ESTIMATOR) revert("CrossDomainMessenger: failed to relay message");
    }

    /// Whether the target would get its minimum of gas (EIP-150), and enough remains to finish.
    function hasGasFor(uint256 minGasLimit) private view returns (bool isEnough) {
        unchecked {
            uint256 own = RELAY_CALL_OVERHEAD + RELAY_RESERVED_GAS + RELAY_GAS_CHECK_BUFFER;
            return gasleft() * 63 >= minGasLimit * 64 + own * 63;
        }
    }

    /// A call whose result is not copied: a large one would use up the gas that is left.
    function callWithout(address target, uint256 gasLimit, uint256 value, bytes memory data)
        private
        returns (bool isOk)
    {
        assembly {
            isOk := call(gasLimit, target, value, add(data, 32), mload(data), 0, 0)
        }
    }

    function isOtherMessenger() private view returns (bool) {
        unchecked {
            return address(uint160(msg.sender) - ALIAS_OFFSET) == otherMessenger;
        }
    }

    function xDomainMessageSender() external view returns (address) {
        require(messageSender != NO_SENDER, "CrossDomainMessenger: xDomainMessageSender is not set");
        return messageSender;
    }

    /// The nonce of the next message, with the version in the upper two bytes.
    function messageNonce() public view returns (uint256) {
        return (uint256(MESSAGE_VERSION) << 240) | nonce;
    }

    /// The gas with which a message can be relayed on layer 1, or recorded as failed.
    function baseGas(bytes calldata message, uint32 minGasLimit) public pure returns (uint64) {
        uint64 execution = RELAY_CONSTANT_OVERHEAD + RELAY_CALL_OVERHEAD + RELAY_RESERVED_GAS + RELAY_GAS_CHECK_BUFFER
            + (minGasLimit * MIN_GAS_DYNAMIC_OVERHEAD_NUMERATOR) / MIN_GAS_DYNAMIC_OVERHEAD_DENOMINATOR;
        uint64 size = uint64(message.length) + ENCODING_OVERHEAD;
        uint64 ordinary = execution + size * MIN_GAS_CALLDATA_OVERHEAD;
        uint64 floor = size * FLOOR_CALLDATA_OVERHEAD;
        return TX_BASE_GAS + (ordinary > floor ? ordinary : floor);
    }

    function paused() external pure returns (bool) {
        return false;
    }

    function OTHER_MESSENGER() external view returns (address) {
        return otherMessenger;
    }

    function l1CrossDomainMessenger() external view returns (address) {
        return otherMessenger;
    }

    function version() external pure returns (string memory) {
        return "2.2.1";
    }
}
