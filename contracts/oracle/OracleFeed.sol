// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title A price feed with Chainlink's AggregatorV3Interface, written by its operator.
contract OracleFeed {
    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error OnlyOperator();
    error NoDataPresent();

    struct Round {
        int192 answer;
        uint64 updatedAt;
    }

    uint256 public constant version = 4;
    address public immutable operator;
    uint8 public immutable decimals;
    string public description;
    uint80 public latestRound;
    mapping(uint80 roundId => Round) private _rounds;

    constructor(string memory description_, uint8 decimals_) {
        operator = msg.sender;
        description = description_;
        decimals = decimals_;
    }

    /// @notice Opens the next round. `updatedAt` is given, so that a test can make a feed as old as it likes.
    function setRound(int256 answer, uint256 updatedAt) external {
        if (msg.sender != operator) revert OnlyOperator();
        uint80 roundId = ++latestRound;
        _rounds[roundId] = Round(int192(answer), uint64(updatedAt));
        emit AnswerUpdated(answer, roundId, updatedAt);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return getRoundData(latestRound);
    }

    function getRoundData(uint80 roundId)
        public
        view
        returns (uint80, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        Round memory round = _rounds[roundId];
        if (roundId == 0 || roundId > latestRound) revert NoDataPresent();
        return (roundId, round.answer, round.updatedAt, round.updatedAt, roundId);
    }
}
