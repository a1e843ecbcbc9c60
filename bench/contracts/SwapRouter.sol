// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract SwapToken is ERC20 {
    constructor(string memory symbol, address owner) ERC20(symbol, symbol) {
        _mint(owner, 1e30);
    }
}

/// A pool of two tokens with the storage and the checks of a Uniswap v2 pair, without shares.
contract SwapPool {
    address public immutable factory;
    address public token0;
    address public token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private blockTimestampLast;
    uint256 public price0CumulativeLast;
    uint256 public price1CumulativeLast;
    uint256 private unlocked = 1;

    event Swap(address indexed to, uint256 amountIn, uint256 amountOut);
    event Sync(uint112 reserve0, uint112 reserve1);

    modifier lock() {
        require(unlocked == 1, "locked");
        unlocked = 0;
        _;
        unlocked = 1;
    }

    constructor(address tokenA, address tokenB) {
        factory = msg.sender;
        token0 = tokenA;
        token1 = tokenB;
    }

    function getReserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, blockTimestampLast);
    }

    function sync() external lock {
        update(ERC20(token0).balanceOf(address(this)), ERC20(token1).balanceOf(address(this)));
    }

    function swap(uint256 amountOut, address to) external lock {
        (uint112 r0, uint112 r1,) = getReserves();
        require(amountOut > 0 && amountOut < r1, "liquidity");
        ERC20(token1).transfer(to, amountOut);
        uint256 balance0 = ERC20(token0).balanceOf(address(this));
        uint256 balance1 = ERC20(token1).balanceOf(address(this));
        uint256 amountIn = balance0 - r0;
        require((balance0 * 1000 - amountIn * 3) * balance1 >= uint256(r0) * r1 * 1000, "K");
        update(balance0, balance1);
        emit Swap(to, amountIn, amountOut);
    }

    function update(uint256 balance0, uint256 balance1) private {
        uint32 elapsed = uint32(block.timestamp) - blockTimestampLast;
        if (elapsed > 0 && reserve0 > 0 && reserve1 > 0) {
            price0CumulativeLast += ((uint256(reserve1) << 112) / reserve0) * elapsed;
            price1CumulativeLast += ((uint256(reserve0) << 112) / reserve1) * elapsed;
        }
        reserve0 = uint112(balance0);
        reserve1 = uint112(balance1);
        blockTimestampLast = uint32(block.timestamp);
        emit Sync(reserve0, reserve1);
    }
}

/// Deploys four tokens and three pools between them, and swaps along the pools.
contract SwapRouter {
    SwapToken[] public tokens;
    SwapPool[] public pools;

    /// The sender receives a share of the first token.
    constructor() {
        for (uint256 i = 0; i < 4; i++) tokens.push(new SwapToken(string(abi.encodePacked("T", bytes1(uint8(48 + i)))), address(this)));
        for (uint256 i = 0; i < 3; i++) {
            SwapPool pool = new SwapPool(address(tokens[i]), address(tokens[i + 1]));
            pools.push(pool);
            tokens[i].transfer(address(pool), 1e24);
            tokens[i + 1].transfer(address(pool), 1e24);
            pool.sync();
        }
    }

    function give(address to, uint256 amount) external {
        tokens[0].transfer(to, amount);
    }

    /// Swaps tokens that the sender approved along all pools.
    function swap(uint256 amountIn) external returns (uint256 amount) {
        tokens[0].transferFrom(msg.sender, address(pools[0]), amountIn);
        amount = amountIn;
        for (uint256 i = 0; i < 3; i++) {
            (uint112 reserveIn, uint112 reserveOut,) = pools[i].getReserves();
            amount = (amount * 997 * reserveOut) / (uint256(reserveIn) * 1000 + amount * 997);
            pools[i].swap(amount, i == 2 ? msg.sender : address(pools[i + 1]));
        }
    }
}
