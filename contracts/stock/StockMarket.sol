// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Session of the exchange. UNKNOWN: the owner has not set one.
enum MarketSession {
    UNKNOWN,
    PRE_MARKET,
    REGULAR,
    POST_MARKET,
    OVERNIGHT,
    CLOSED
}

/// @title Trading sessions of the exchange of the demonstration stocks
/// @notice Price feeds take no prices while the session is CLOSED.
contract StockMarket {
    /// @notice The account that may set the session.
    address public owner;
    MarketSession public session;

    event SessionChanged(MarketSession indexed previous, MarketSession indexed current);

    error NotOwner(address caller);

    constructor(address owner_) {
        owner = owner_;
    }

    function setSession(MarketSession current) external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        emit SessionChanged(session, current);
        session = current;
    }
}
