// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OracleRegistry} from "./OracleRegistry.sol";
import {MarketSession, StockMarket} from "./StockMarket.sol";

/// @title Price feed of a demonstration stock
/// @notice Implements the read interfaces of a Chainlink aggregator (AggregatorInterface and AggregatorV3Interface).
///         Answers are total-return prices, as on Base: price of a token = price of a share × multiplier. The owner
///         sets prices. While the market is closed or the oracle registry has paused the token, the feed holds its
///         last answer and the time of it.
contract PriceFeed {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    uint8 public constant decimals = 8;
    uint256 public constant version = 1;
    int256 private constant WAD = 1e18;

    StockMarket public immutable market;
    OracleRegistry public immutable registry;

    address public token;
    /// @notice The account that may set prices.
    address public owner;
    /// @notice Price of a share as of the latest round, in units of 10^-8.
    int256 public equityPrice;
    uint80 private roundCount;
    string public description;
    mapping(uint80 roundId => Round) private rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error NotOwner(address caller);
    error InvalidAnswer(int256 answer);
    error UnknownRound(uint80 roundId);
    error MarketClosed();
    error OraclePaused(address token);

    /// @param prices initial price of a share and of a token, in units of 10^-8
    constructor(
        address owner_,
        address token_,
        StockMarket market_,
        OracleRegistry registry_,
        string memory description_,
        int256[2] memory prices
    ) {
        owner = owner_;
        token = token_;
        market = market_;
        registry = registry_;
        description = description_;
        write(prices[0], prices[1]);
    }

    /// @notice Sets the price of a share, with the time of the block. The answer is the price × the token's multiplier.
    function updateEquityPrice(int256 price) external {
        write(price, price * multiplierForUpdate() / WAD);
    }

    /// @notice Sets the price of a token, with the time of the block. The price contains the multiplier.
    function updateAnswer(int256 answer) external {
        write(answer * WAD / multiplierForUpdate(), answer);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return getRoundData(roundCount);
    }

    /// @return roundId the round
    /// @return answer its price
    /// @return startedAt its time
    /// @return updatedAt its time
    /// @return answeredInRound the round
    function getRoundData(uint80 id)
        public
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        Round storage round = rounds[id];
        if (round.updatedAt == 0) revert UnknownRound(id);
        return (id, round.answer, round.updatedAt, round.updatedAt, id);
    }

    function latestRound() external view returns (uint256) {
        return roundCount;
    }

    function latestAnswer() external view returns (int256) {
        return rounds[roundCount].answer;
    }

    function latestTimestamp() external view returns (uint256) {
        return rounds[roundCount].updatedAt;
    }

    /// @return the price of the round; 0 if there is no such round, as Chainlink's aggregators
    function getAnswer(uint256 roundId) external view returns (int256) {
        return roundId > type(uint80).max ? int256(0) : rounds[uint80(roundId)].answer;
    }

    /// @return the time of the round; 0 if there is no such round
    function getTimestamp(uint256 roundId) external view returns (uint256) {
        return roundId > type(uint80).max ? 0 : rounds[uint80(roundId)].updatedAt;
    }

    function multiplierForUpdate() private view returns (int256) {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        if (market.session() == MarketSession.CLOSED) revert MarketClosed();
        (uint256 multiplier, bool paused) = registry.getOracleParams(token);
        if (paused) revert OraclePaused(token);
        return int256(multiplier);
    }

    function write(int256 price, int256 answer) private {
        if (answer <= 0) revert InvalidAnswer(answer);
        equityPrice = price;
        roundCount += 1;
        rounds[roundCount] = Round(answer, block.timestamp);
        emit AnswerUpdated(answer, roundCount, block.timestamp);
    }
}
