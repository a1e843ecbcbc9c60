// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Price feed of a demonstration stock
/// @notice Implements the read interface of a Chainlink aggregator (AggregatorV3Interface). The owner sets prices.
contract PriceFeed {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    uint8 public constant decimals = 8;
    uint256 public constant version = 1;

    /// @notice The account that may set prices.
    address public owner;
    uint80 private latestRound;
    string public description;
    mapping(uint80 roundId => Round) private rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error NotOwner(address caller);
    error InvalidAnswer(int256 answer);
    error UnknownRound(uint80 roundId);

    /// @param answer initial price, in units of 10^-8
    constructor(address owner_, string memory description_, int256 answer) {
        owner = owner_;
        description = description_;
        write(answer);
    }

    /// @notice Sets the price, with the time of the block.
    function updateAnswer(int256 answer) external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        write(answer);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return getRoundData(latestRound);
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

    function write(int256 answer) private {
        if (answer <= 0) revert InvalidAnswer(answer);
        latestRound += 1;
        rounds[latestRound] = Round(answer, block.timestamp);
        emit AnswerUpdated(answer, latestRound, block.timestamp);
    }
}
