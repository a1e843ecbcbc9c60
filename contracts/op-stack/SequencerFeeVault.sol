// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FeeVault} from "op-stack/FeeVault.sol";

/// @title Vault of the priority fees
contract SequencerFeeVault is FeeVault {
    /// The older name of `recipient`.
    function l1FeeWallet() external view returns (address) {
        return recipient;
    }
}
