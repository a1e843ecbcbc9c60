// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title A demonstration stock token
/// @notice ERC-20 whose units stand for shares by way of a multiplier with 18 decimals: shares = units * multiplier / 1e18.
///         Balances and supply never change on a split; the multiplier does (ERC-8056).
/// @dev    Neither constants of the deployment nor immutables are in the code, so that a genesis can place it by writing storage.
contract DemoStock {
    uint256 private constant ONE = 1e18;

    string public name;
    string public symbol;
    uint8 public decimals;
    address public owner;
    uint256 public multiplier;
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event MultiplierUpdated(uint256 multiplier);
    event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 effectiveAtTimestamp);

    // ERC-6093
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
    error ERC20InvalidReceiver(address receiver);
    error OwnableUnauthorizedAccount(address account);
    error InvalidMultiplier();

    modifier onlyOwner() {
        if (msg.sender != owner) revert OwnableUnauthorizedAccount(msg.sender);
        _;
    }

    constructor(string memory name_, string memory symbol_, uint8 decimals_, address owner_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        owner = owner_;
        multiplier = ONE;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            if (allowed < value) revert ERC20InsufficientAllowance(msg.sender, allowed, value);
            allowance[from][msg.sender] = allowed - value;
        }
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    /// @notice Issues units; the owner only.
    function mint(address to, uint256 value) external onlyOwner {
        if (to == address(0)) revert ERC20InvalidReceiver(to);
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// @notice Destroys units of the caller.
    function burn(uint256 value) external {
        take(msg.sender, value);
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    /// @notice Sets how many shares a unit stands for, at once; the owner only. Not a ratio to the value before.
    /// @param newMultiplier 18 decimals, 1 to 2^128 - 1, so that no conversion of a real supply overflows
    function setMultiplier(uint256 newMultiplier) external onlyOwner {
        if (newMultiplier == 0 || newMultiplier > type(uint128).max) revert InvalidMultiplier();
        uint256 oldMultiplier = multiplier;
        multiplier = newMultiplier;
        emit MultiplierUpdated(newMultiplier);
        emit UIMultiplierUpdated(oldMultiplier, newMultiplier, block.timestamp);
    }

    /// @notice ERC-8056: the multiplier, 18 decimals.
    function uiMultiplier() external view returns (uint256) {
        return multiplier;
    }

    function toUIAmount(uint256 rawAmount) public view returns (uint256) {
        return rawAmount * multiplier / ONE;
    }

    function fromUIAmount(uint256 uiAmount) external view returns (uint256) {
        return uiAmount * ONE / multiplier;
    }

    function balanceOfUI(address account) external view returns (uint256) {
        return toUIAmount(balanceOf[account]);
    }

    function totalSupplyUI() external view returns (uint256) {
        return toUIAmount(totalSupply);
    }

    function move(address from, address to, uint256 value) private {
        if (to == address(0)) revert ERC20InvalidReceiver(to);
        take(from, value);
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function take(address from, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert ERC20InsufficientBalance(from, balance, value);
        balanceOf[from] = balance - value;
    }
}
