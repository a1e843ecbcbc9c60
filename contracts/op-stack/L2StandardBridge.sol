// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgedToken, TokenCalls} from "op-stack/TokenCalls.sol";
import {ProxyAdminOwned} from "op-stack/ProxyAdminOwned.sol";

interface IMessenger {
    function sendMessage(address target, bytes calldata message, uint32 minGasLimit) external payable;
    function xDomainMessageSender() external view returns (address);
}

/// @title Standard bridge of layer 2
/// @notice Moves ether and ERC-20 tokens to layer 1 and back. A token of layer 1 is minted and burnt here, one of
///   layer 2 is held. Interface, storage and answers are those of the OP stack's contract.
contract L2StandardBridge is ProxyAdminOwned {
    event Initialized(uint8 version);
    event ETHBridgeInitiated(address indexed from, address indexed to, uint256 amount, bytes extraData);
    event ETHBridgeFinalized(address indexed from, address indexed to, uint256 amount, bytes extraData);
    event ERC20BridgeInitiated(
        address indexed localToken,
        address indexed remoteToken,
        address indexed from,
        address to,
        uint256 amount,
        bytes extraData
    );
    event ERC20BridgeFinalized(
        address indexed localToken,
        address indexed remoteToken,
        address indexed from,
        address to,
        uint256 amount,
        bytes extraData
    );
    event WithdrawalInitiated(
        address indexed l1Token,
        address indexed l2Token,
        address indexed from,
        address to,
        uint256 amount,
        bytes extraData
    );
    event DepositFinalized(
        address indexed l1Token,
        address indexed l2Token,
        address indexed from,
        address to,
        uint256 amount,
        bytes extraData
    );

    IMessenger private constant MESSENGER_OF_L2 = IMessenger(0x4200000000000000000000000000000000000007);
    /// Stands for ether in functions and events from before Bedrock.
    address private constant ETHER = 0xDeadDeAddeAddEAddeadDEaDDEAdDeaDDeAD0000;
    uint32 private constant RECEIVE_GAS_LIMIT = 200_000;

    uint8 private initialized;
    bool private initializing;
    uint256 private unused;
    mapping(address => mapping(address => uint256)) public deposits;
    IMessenger public messenger;
    address public otherBridge;

    modifier onlyEOA() {
        require(isSenderEOA(), "StandardBridge: function can only be called from an EOA");
        _;
    }

    modifier onlyOtherBridge() {
        require(
            msg.sender == address(messenger) && messenger.xDomainMessageSender() == otherBridge,
            "StandardBridge: function can only be called from the other bridge"
        );
        _;
    }

    receive() external payable onlyEOA {
        initiateETH(msg.sender, msg.value, RECEIVE_GAS_LIMIT, "");
    }

    function initialize(address other) external {
        require(initialized == 0, "Initializable: contract is already initialized");
        initialized = 1;
        messenger = MESSENGER_OF_L2;
        otherBridge = other;
        emit Initialized(1);
    }

    function bridgeETH(uint32 minGasLimit, bytes calldata extraData) external payable onlyEOA {
        initiateETH(msg.sender, msg.value, minGasLimit, extraData);
    }

    function bridgeETHTo(address to, uint32 minGasLimit, bytes calldata extraData) external payable {
        initiateETH(to, msg.value, minGasLimit, extraData);
    }

    function bridgeERC20(
        address localToken,
        address remoteToken,
        uint256 amount,
        uint32 minGasLimit,
        bytes calldata extraData
    ) external onlyEOA {
        initiateERC20(localToken, remoteToken, msg.sender, amount, minGasLimit, extraData);
    }

    function bridgeERC20To(
        address localToken,
        address remoteToken,
        address to,
        uint256 amount,
        uint32 minGasLimit,
        bytes calldata extraData
    ) external {
        initiateERC20(localToken, remoteToken, to, amount, minGasLimit, extraData);
    }

    /// Bridges ether or a token of layer 1: a name from before Bedrock.
    function withdraw(address l2Token, uint256 amount, uint32 minGasLimit, bytes calldata extraData)
        external
        payable
        onlyEOA
    {
        initiateWithdrawal(l2Token, msg.sender, amount, minGasLimit, extraData);
    }

    function withdrawTo(address l2Token, address to, uint256 amount, uint32 minGasLimit, bytes calldata extraData)
        external
        payable
    {
        initiateWithdrawal(l2Token, to, amount, minGasLimit, extraData);
    }

    function finalizeBridgeETH(address from, address to, uint256 amount, bytes calldata extraData)
        external
        payable
        onlyOtherBridge
    {
        require(msg.value == amount, "StandardBridge: amount sent does not match amount required");
        require(to != address(this), "StandardBridge: cannot send to self");
        require(to != address(messenger), "StandardBridge: cannot send to messenger");
        emit DepositFinalized(address(0), ETHER, from, to, amount, extraData);
        emit ETHBridgeFinalized(from, to, amount, extraData);
        bool isOk;
        assembly {
            isOk := call(gas(), to, amount, 0, 0, 0, 0)
        }
        require(isOk, "StandardBridge: ETH transfer failed");
    }

    function finalizeBridgeERC20(
        address localToken,
        address remoteToken,
        address from,
        address to,
        uint256 amount,
        bytes calldata extraData
    ) external onlyOtherBridge {
        if (TokenCalls.isMintable(localToken)) {
            requirePair(localToken, remoteToken);
            BridgedToken(localToken).mint(to, amount);
        } else {
            deposits[localToken][remoteToken] -= amount;
            TokenCalls.transfer(localToken, to, amount);
        }
        emit DepositFinalized(remoteToken, localToken, from, to, amount, extraData);
        emit ERC20BridgeFinalized(localToken, remoteToken, from, to, amount, extraData);
    }

    function initiateWithdrawal(
        address l2Token,
        address to,
        uint256 amount,
        uint32 minGasLimit,
        bytes memory extraData
    ) private {
        if (l2Token == ETHER) {
            initiateETH(to, amount, minGasLimit, extraData);
        } else {
            address l1Token = BridgedToken(l2Token).l1Token();
            initiateERC20(l2Token, l1Token, to, amount, minGasLimit, extraData);
        }
    }

    function initiateETH(address to, uint256 amount, uint32 minGasLimit, bytes memory extraData) private {
        require(msg.value == amount, "StandardBridge: bridging ETH must include sufficient ETH value");
        emit WithdrawalInitiated(address(0), ETHER, msg.sender, to, amount, extraData);
        emit ETHBridgeInitiated(msg.sender, to, amount, extraData);
        messenger.sendMessage{value: amount}(
            otherBridge, abi.encodeCall(this.finalizeBridgeETH, (msg.sender, to, amount, extraData)), minGasLimit
        );
    }

    function initiateERC20(
        address localToken,
        address remoteToken,
        address to,
        uint256 amount,
        uint32 minGasLimit,
        bytes memory extraData
    ) private {
        require(msg.value == 0, "StandardBridge: cannot send value");
        if (TokenCalls.isMintable(localToken)) {
            requirePair(localToken, remoteToken);
            BridgedToken(localToken).burn(msg.sender, amount);
        } else {
            TokenCalls.transferFrom(localToken, msg.sender, address(this), amount);
            deposits[localToken][remoteToken] += amount;
        }
        emit WithdrawalInitiated(remoteToken, localToken, msg.sender, to, amount, extraData);
        emit ERC20BridgeInitiated(localToken, remoteToken, msg.sender, to, amount, extraData);
        // On layer 1 the local token is the remote one.
        messenger.sendMessage(
            otherBridge,
            abi.encodeCall(this.finalizeBridgeERC20, (remoteToken, localToken, msg.sender, to, amount, extraData)),
            minGasLimit
        );
    }

    function requirePair(address localToken, address remoteToken) private view {
        require(
            TokenCalls.remoteTokenOf(localToken) == remoteToken,
            "StandardBridge: wrong remote token for Optimism Mintable ERC20 local token"
        );
    }

    /// An account without code, or with a delegation (EIP-7702).
    function isSenderEOA() private view returns (bool) {
        if (msg.sender == tx.origin) return true;
        bytes memory code = msg.sender.code;
        return code.length == 23 && bytes3(code) == 0xef0100;
    }

    function paused() external pure returns (bool) {
        return false;
    }

    function MESSENGER() external view returns (IMessenger) {
        return messenger;
    }

    function OTHER_BRIDGE() external view returns (address) {
        return otherBridge;
    }

    function l1TokenBridge() external view returns (address) {
        return otherBridge;
    }

    function version() external pure returns (string memory) {
        return "1.13.2";
    }
}
