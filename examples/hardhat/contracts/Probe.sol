// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {console} from "hardhat/console.sol";

/// Shows the block that a call sees, storage of each layout, and each way to fail.
contract Probe {
    enum Level {
        Low,
        High
    }

    error Custom(uint256 code, address caller);
    error Plain();

    event Noted(address indexed by, uint256 indexed id, string text);
    event Block(uint256 number, uint256 timestamp, uint256 baseFee, address coinbase, uint256 prevRandao);

    uint256 public number = 5;
    address public friend;
    bool public flag;
    mapping(address => uint256) public scores;
    uint256[] public list;

    function setNumber(uint256 value) external {
        number = value;
    }

    function setFriend(address value) external {
        friend = value;
        flag = true;
    }

    function score(uint256 value) external {
        scores[msg.sender] = value;
    }

    function note(uint256 id, string calldata text) external {
        emit Noted(msg.sender, id, text);
    }

    function emitBlock() external {
        emit Block(block.number, block.timestamp, block.basefee, block.coinbase, block.prevrandao);
    }

    function blockNumber() external view returns (uint256) {
        return block.number;
    }

    function timestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function baseFee() external view returns (uint256) {
        return block.basefee;
    }

    function coinbase() external view returns (address) {
        return block.coinbase;
    }

    function prevRandao() external view returns (uint256) {
        return block.prevrandao;
    }

    function gasLimit() external view returns (uint256) {
        return block.gaslimit;
    }

    function sender() external view returns (address) {
        return msg.sender;
    }

    function logs(uint256 value) external returns (uint256) {
        console.log("value %s of %s", value, msg.sender);
        number = value;
        return value;
    }

    function failReason(bool fails) external {
        number++;
        require(!fails, "because");
    }

    function failCustom(uint256 code) external {
        number++;
        revert Custom(code, msg.sender);
    }

    function failPlain() external {
        number++;
        revert Plain();
    }

    function failSilently() external {
        number++;
        // solhint-disable-next-line reason-string
        revert();
    }

    function failAssert() external {
        number++;
        assert(number == 0);
    }

    function overflow(uint256 value) external returns (uint256) {
        number = value + type(uint256).max;
        return number;
    }

    function divide(uint256 by) external returns (uint256) {
        number = 10 / by;
        return number;
    }

    function pop() external {
        list.pop();
    }

    function item(uint256 index) external view returns (uint256) {
        return list[index];
    }

    function toLevel(uint256 value) external pure returns (Level) {
        return Level(value);
    }

    function fill(uint256 from, uint256 count) external {
        for (uint256 i = from; i < from + count; i++) scores[address(uint160(i))] = i;
    }

    function burnGas(uint256 rounds) external {
        for (uint256 i = 0; i < rounds; i++) number = i;
    }
}
