// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {SwapMath} from "./SwapMath.sol";

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// A token whose holders are in a mapping.
contract Token is IToken {
    error InsufficientBalance(address holder, uint256 balance, uint256 needed);

    string public name;
    mapping(address holder => uint256) public balanceOf;

    constructor(string memory name_, uint256 supply) {
        name = name_;
        balanceOf[msg.sender] = supply;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) internal {
        uint256 balance = balanceOf[from];
        if (balance < amount) {
            revert InsufficientBalance(from, balance, amount);
        }
        balanceOf[from] = balance - amount;
        balanceOf[to] += amount;
    }
}

/// A pool of two tokens with a constant product, as Uniswap's.
contract Pool {
    error SlippageExceeded(uint256 amountOut, uint256 minimumOut);

    struct Reserves {
        uint112 first;
        uint112 second;
        uint32 updatedAt;
    }

    struct Position {
        uint128 liquidity;
        bool isActive;
        uint256[] checkpoints;
    }

    enum Direction {
        FirstToSecond,
        SecondToFirst
    }

    IToken public immutable first;
    IToken public immutable second;
    Reserves public reserves;
    mapping(address owner => Position) public positions;
    bool private locked;

    modifier lock(string memory reason) {
        bool wasLocked = locked;
        require(!wasLocked, reason);
        locked = true;
        _;
        locked = wasLocked;
    }

    constructor(IToken first_, IToken second_) {
        first = first_;
        second = second_;
    }

    function mint(uint112 firstAmount, uint112 secondAmount) external lock("mint") {
        first.transferFrom(msg.sender, address(this), firstAmount);
        second.transferFrom(msg.sender, address(this), secondAmount);
        reserves.first += firstAmount;
        reserves.second += secondAmount;
        reserves.updatedAt = uint32(block.timestamp);
        Position storage position = positions[msg.sender];
        position.liquidity += uint128(firstAmount);
        position.isActive = true;
        position.checkpoints.push(block.number);
    }

    function swap(Direction direction, uint256 amountIn, uint256 minimumOut)
        external
        lock("swap")
        returns (uint256 amountOut)
    {
        (uint256 reserveIn, uint256 reserveOut) = _reserves(direction);
        uint256 fee = SwapMath.feeOf(amountIn);
        amountOut = SwapMath.amountOut(amountIn - fee, reserveIn, reserveOut);
        _requireOutput(amountOut, minimumOut);
        IToken tokenIn = direction == Direction.FirstToSecond ? first : second;
        IToken tokenOut = direction == Direction.FirstToSecond ? second : first;
        tokenIn.transferFrom(msg.sender, address(this), amountIn);
        tokenOut.transfer(msg.sender, amountOut);
    }

    function _reserves(Direction direction) internal view returns (uint256 reserveIn, uint256 reserveOut) {
        Reserves memory current = reserves;
        if (direction == Direction.FirstToSecond) return (current.first, current.second);
        return (current.second, current.first);
    }

    function _requireOutput(uint256 amountOut, uint256 minimumOut) internal pure {
        if (amountOut < minimumOut) {
            revert SlippageExceeded(amountOut, minimumOut);
        }
    }
}
