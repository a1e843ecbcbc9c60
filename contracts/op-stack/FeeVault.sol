// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ProxyAdminOwned} from "op-stack/ProxyAdminOwned.sol";

interface IMessagePasser {
    function initiateWithdrawal(address target, uint256 gasLimit, bytes memory data) external payable;
}

/// @title Vault of a fee
/// @notice Receives one kind of fee from the protocol, and sends its balance to the recipient when anybody asks for it
///   and the balance has reached the minimum. Interface, storage and answers are those of the OP stack's vaults.
contract FeeVault is ProxyAdminOwned {
    enum Network {
        L1,
        L2
    }

    error ProxyAdminOwnedBase_NotProxyAdminOwner();
    error InvalidInitialization();

    event Withdrawal(uint256 value, address to, address from);
    event Withdrawal(uint256 value, address to, address from, Network withdrawalNetwork);
    event MinWithdrawalAmountUpdated(uint256 oldWithdrawalAmount, uint256 newWithdrawalAmount);
    event RecipientUpdated(address oldRecipient, address newRecipient);
    event WithdrawalNetworkUpdated(Network oldWithdrawalNetwork, Network newWithdrawalNetwork);
    event Initialized(uint64 version);

    IMessagePasser private constant MESSAGE_PASSER = IMessagePasser(0x4200000000000000000000000000000000000016);
    uint256 private constant WITHDRAWAL_MIN_GAS = 400_000;
    /// Where version 5 of OpenZeppelin's Initializable keeps its version.
    bytes32 private constant INITIALIZED_SLOT = 0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00;

    uint256 public totalProcessed;
    uint256 public minWithdrawalAmount;
    address public recipient;
    Network public withdrawalNetwork;

    receive() external payable {}

    function initialize(address newRecipient, uint256 newMinimum, Network newNetwork) external {
        uint256 initialized;
        assembly {
            initialized := sload(INITIALIZED_SLOT)
        }
        if (initialized != 0) revert InvalidInitialization();
        assembly {
            sstore(INITIALIZED_SLOT, 1)
        }
        recipient = newRecipient;
        minWithdrawalAmount = newMinimum;
        withdrawalNetwork = newNetwork;
        emit Initialized(1);
    }

    /// Sends the balance to the recipient: here, or through the message passer on layer 1.
    function withdraw() external returns (uint256 value) {
        require(
            address(this).balance >= minWithdrawalAmount,
            "FeeVault: withdrawal amount must be greater than minimum withdrawal amount"
        );
        value = address(this).balance;
        totalProcessed += value;
        emit Withdrawal(value, recipient, msg.sender);
        emit Withdrawal(value, recipient, msg.sender, withdrawalNetwork);
        if (withdrawalNetwork == Network.L1) {
            MESSAGE_PASSER.initiateWithdrawal{value: value}(recipient, WITHDRAWAL_MIN_GAS, "");
        } else {
            (bool isOk,) = recipient.call{value: value}("");
            require(isOk, "FeeVault: failed to send ETH to L2 fee recipient");
        }
    }

    function setMinWithdrawalAmount(uint256 newMinimum) external {
        requireOwner();
        emit MinWithdrawalAmountUpdated(minWithdrawalAmount, newMinimum);
        minWithdrawalAmount = newMinimum;
    }

    function setRecipient(address newRecipient) external {
        requireOwner();
        emit RecipientUpdated(recipient, newRecipient);
        recipient = newRecipient;
    }

    function setWithdrawalNetwork(Network newNetwork) external {
        requireOwner();
        emit WithdrawalNetworkUpdated(withdrawalNetwork, newNetwork);
        withdrawalNetwork = newNetwork;
    }

    function MIN_WITHDRAWAL_AMOUNT() external view returns (uint256) {
        return minWithdrawalAmount;
    }

    function RECIPIENT() external view returns (address) {
        return recipient;
    }

    function WITHDRAWAL_NETWORK() external view returns (Network) {
        return withdrawalNetwork;
    }

    function version() external pure virtual returns (string memory) {
        return "1.6.1";
    }

    function requireOwner() private view {
        if (msg.sender != proxyAdminOwner()) revert ProxyAdminOwnedBase_NotProxyAdminOwner();
    }
}
