// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FeeVault} from "op-stack/FeeVault.sol";

/// @title Vault of the operator fees
contract OperatorFeeVault is FeeVault {
    function version() external pure override returns (string memory) {
        return "1.1.1";
    }
}
