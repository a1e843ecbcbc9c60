// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockAsset} from "../stock/StockAsset.sol";
import {StockStorage} from "../stock/StockStorage.sol";
import {B20Token} from "./B20Token.sol";

/// @title The asset variant of a native token
contract B20Asset is StockAsset, B20Token {
    constructor(uint8 upgrade_) B20Token(upgrade_) {}

    /// @notice Initializes a new token in the transaction that creates it.
    function initialize(
        string calldata name_,
        string calldata symbol_,
        uint8 decimals_,
        address admin,
        bytes[] calldata initCalls
    ) external onlyFactory {
        StockStorage.asset().decimals = decimals_;
        initializeToken(name_, symbol_, admin, initCalls);
    }
}
