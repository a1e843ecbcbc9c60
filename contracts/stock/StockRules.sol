// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockBalances} from "./StockBalances.sol";

/// @title Rules of the demonstration stocks: those of Base's upgrade Cobalt, with two policies
abstract contract StockRules is StockBalances {
    /// @dev Without a policy registry two policies exist, and neither depends on the account.
    function isAuthorized(uint64 id, address) internal pure override returns (bool) {
        return id == ALWAYS_ALLOW;
    }

    function isPolicy(uint64 id) internal pure override returns (bool) {
        return id == ALWAYS_ALLOW || id == ALWAYS_BLOCK;
    }

    function hasCobaltRules() internal pure override returns (bool) {
        return true;
    }

    function isExecutorChecked(address from) internal view override returns (bool) {
        return msg.sender != from;
    }

    /// @dev Rejects addresses that the standard reserves for tokens: units sent there would be lost.
    function requireReceiver(address to) internal pure override {
        if (to == address(0) || isReserved(to)) revert InvalidReceiver(to);
    }
}
