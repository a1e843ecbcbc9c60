// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockAsset} from "./StockAsset.sol";
import {StockRules} from "./StockRules.sol";
import {StockStorage} from "./StockStorage.sol";

/// @title A tokenized stock
/// @notice The shared implementation; each stock is a `StockProxy` with its own storage. This contract itself is not a
///         token.
/// @dev    Without immutables and state outside `StockStorage`, so that a genesis can place it at any address.
contract StockToken is StockAsset, StockRules {
    constructor() {
        StockStorage.token().initialized = true;
    }

    /// @notice Initializes a new proxy, once, in the transaction that creates it.
    /// @param admin receives DEFAULT_ADMIN_ROLE; the zero address: no admin
    /// @param initCalls run on the token in order, without role checks and transfer policies
    function initialize(
        string calldata name_,
        string calldata symbol_,
        uint8 decimals_,
        address admin,
        bytes[] calldata initCalls
    ) external {
        StockStorage.Token storage token = StockStorage.token();
        if (token.initialized) revert AlreadyInitialized();
        token.initialized = true;
        StockStorage.asset().decimals = decimals_;
        initializeToken(name_, symbol_, admin, initCalls);
    }
}
