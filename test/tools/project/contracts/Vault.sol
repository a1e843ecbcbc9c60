// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Token} from "./Token.sol";

/// Its constructor calls the token, so that a deployment fails on a state without the token.
contract Vault {
    event Opened(address indexed holder, uint256 id);

    Token public immutable token;
    uint256 public immutable supplyAtCreation;
    uint256 public accounts;
    mapping(address holder => uint256) public balanceOf;

    constructor(Token token_) {
        token = token_;
        supplyAtCreation = token_.totalSupply();
    }

    function open() external {
        emit Opened(msg.sender, ++accounts);
    }

    function deposit(uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
        balanceOf[msg.sender] += amount;
    }
}

/// Reads the vault in its constructor.
contract Report {
    uint256 public immutable account;
    uint256 public immutable balance;

    constructor(Vault vault, uint256 account_) {
        require(account_ != 0 && vault.accounts() >= account_, "no such account");
        account = account_;
        balance = vault.balanceOf(msg.sender);
    }
}
