// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockMetadata} from "../stock/StockMetadata.sol";
import {NativeTokens, UnknownFunctions} from "./NativeTokens.sol";
import {PolicyRegistry} from "./PolicyRegistry.sol";

/// @title What the variants of a native token share: the policy registry and the rules of each upgrade
abstract contract B20Token is StockMetadata, UnknownFunctions {
    uint8 private immutable upgrade;

    error NonPayable();
    error DelegateCallNotAllowed();

    /// @dev For `initialize`, which is an unknown function to all other callers. The first calls of a new token have
    ///      the factory as their sender, too: `creating` keeps them from initializing the token again.
    modifier onlyFactory() {
        if (msg.sender != NativeTokens.FACTORY || creating) rejectSelector();
        _;
    }

    /// @param upgrade_ upgrade of Base: 1 Beryl, 2 Cobalt, 3 Denim
    constructor(uint8 upgrade_) {
        upgrade = upgrade_;
    }

    function isAuthorized(uint64 id, address account) internal view override returns (bool) {
        if (id == ALWAYS_ALLOW) return true;
        return PolicyRegistry(NativeTokens.POLICY_REGISTRY).isAuthorized(id, account);
    }

    function isPolicy(uint64 id) internal view override returns (bool) {
        return PolicyRegistry(NativeTokens.POLICY_REGISTRY).policyExists(id);
    }

    function hasCobaltRules() internal view override returns (bool) {
        return upgrade >= NativeTokens.COBALT;
    }

    /// @dev From Denim on the executor policy applies to every transfer, also to those of the holder.
    function isExecutorChecked(address from) internal view override returns (bool) {
        return upgrade >= NativeTokens.DENIM || msg.sender != from;
    }

    function requireReceiver(address to) internal view override {
        if (to == address(0) || (upgrade >= NativeTokens.DENIM && isReserved(to))) revert InvalidReceiver(to);
    }
}
