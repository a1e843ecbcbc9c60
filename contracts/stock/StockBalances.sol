// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StockAccess} from "./StockAccess.sol";
import {PausableFeature} from "./StockInterface.sol";
import {StockStorage} from "./StockStorage.sol";

/// @title ERC-20 with memos, minting up to a cap, burning and seizing
/// @dev   The order of checks follows the asset standard: pause, role, addresses, allowance, policies, cap or balance.
///        The sum of all balances is the supply, which is at most the cap, so adding to a balance cannot overflow.
abstract contract StockBalances is StockAccess {
    uint256 internal constant MAX_SUPPLY_CAP = type(uint128).max;

    function totalSupply() public view returns (uint256) {
        return StockStorage.token().totalSupply;
    }

    function balanceOf(address account) public view returns (uint256) {
        return StockStorage.token().balances[account];
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return StockStorage.token().allowances[owner][spender];
    }

    function supplyCap() external view returns (uint256) {
        return StockStorage.token().supplyCap;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        transferChecked(to, amount);
        return true;
    }

    function transferWithMemo(address to, uint256 amount, bytes32 memo) external returns (bool) {
        transferChecked(to, amount);
        emit Memo(msg.sender, memo);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        transferFromChecked(from, to, amount);
        return true;
    }

    function transferFromWithMemo(address from, address to, uint256 amount, bytes32 memo) external returns (bool) {
        transferFromChecked(from, to, amount);
        emit Memo(msg.sender, memo);
        return true;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        approveChecked(msg.sender, spender, amount);
        return true;
    }

    function mint(address to, uint256 amount) external {
        requireMinter();
        mintChecked(to, amount);
    }

    function mintWithMemo(address to, uint256 amount, bytes32 memo) external {
        requireMinter();
        mintChecked(to, amount);
        emit Memo(msg.sender, memo);
    }

    /// @notice Burns units of the caller.
    function burn(uint256 amount) external {
        burnChecked(amount);
    }

    function burnWithMemo(uint256 amount, bytes32 memo) external {
        burnChecked(amount);
        emit Memo(msg.sender, memo);
    }

    /// @notice Burns units of an account that may not send; superseded by `seizeWithMemo`.
    function burnBlocked(address from, uint256 amount) external {
        requireNotPaused(PausableFeature.BURN);
        requireRole(BURN_BLOCKED_ROLE);
        if (isAuthorized(StockStorage.token().transferPolicies.sender, from)) revert AccountNotBlocked(from);
        destroy(from, amount);
        emit BurnedBlocked(msg.sender, from, amount);
    }

    /// @notice Transfers units of an account that the exemption does not cover, without allowance and policy checks.
    function seizeWithMemo(address from, address to, uint256 amount, bytes32 memo) external {
        requireNotPaused(PausableFeature.SEIZE);
        requireRoleAlways(SEIZE_ROLE);
        requireReceiver(to);
        if (from == address(0)) revert InvalidSender(from);
        if (to == from) revert InvalidReceiver(to);
        StockStorage.SeizePolicies memory policies = StockStorage.token().seizePolicies;
        if (isAuthorized(policies.exempt, from)) revert AccountNotSeizable(from);
        requirePolicy(SEIZE_RECEIVER_POLICY, policies.receiver, to);
        move(from, to, amount);
        emit Memo(msg.sender, memo);
        emit Seized(msg.sender, from, to, amount);
    }

    /// @param newSupplyCap at least the supply, at most 2^128 - 1, which means unlimited
    function updateSupplyCap(uint256 newSupplyCap) external {
        requireRole(DEFAULT_ADMIN_ROLE);
        StockStorage.Token storage token = StockStorage.token();
        uint256 supply = token.totalSupply;
        if (newSupplyCap < supply || newSupplyCap > MAX_SUPPLY_CAP) revert InvalidSupplyCap(supply, newSupplyCap);
        uint256 oldSupplyCap = token.supplyCap;
        token.supplyCap = newSupplyCap;
        emit SupplyCapUpdated(msg.sender, oldSupplyCap, newSupplyCap);
    }

    function approveChecked(address owner, address spender, uint256 amount) internal {
        if (owner == address(0)) revert InvalidApprover(owner);
        if (spender == address(0)) revert InvalidSpender(spender);
        StockStorage.token().allowances[owner][spender] = amount;
        emit Approval(owner, spender, amount);
    }

    function transferChecked(address to, uint256 amount) private {
        requireNotPaused(PausableFeature.TRANSFER);
        requireReceiver(to);
        if (msg.sender == address(0)) revert InvalidSender(msg.sender);
        requireTransferPolicies(msg.sender, to);
        move(msg.sender, to, amount);
    }

    function transferFromChecked(address from, address to, uint256 amount) private {
        requireNotPaused(PausableFeature.TRANSFER);
        requireReceiver(to);
        if (from == address(0)) revert InvalidSender(from);
        spendAllowance(from, amount);
        requireTransferPolicies(from, to);
        move(from, to, amount);
    }

    /// @dev An allowance of 2^256 - 1 is not reduced; spending emits no `Approval`.
    function spendAllowance(address owner, uint256 amount) private {
        StockStorage.Token storage token = StockStorage.token();
        uint256 allowed = token.allowances[owner][msg.sender];
        if (allowed == type(uint256).max) return;
        if (allowed < amount) revert InsufficientAllowance(msg.sender, allowed, amount);
        unchecked {
            token.allowances[owner][msg.sender] = allowed - amount;
        }
    }

    function requireTransferPolicies(address from, address to) private view {
        if (creating) return;
        StockStorage.TransferPolicies memory policies = StockStorage.token().transferPolicies;
        if (isExecutorChecked(from)) requirePolicy(TRANSFER_EXECUTOR_POLICY, policies.executor, msg.sender);
        requirePolicy(TRANSFER_SENDER_POLICY, policies.sender, from);
        requirePolicy(TRANSFER_RECEIVER_POLICY, policies.receiver, to);
    }

    /// @dev Whether the executor policy applies to a transfer that the caller makes for `from`.
    function isExecutorChecked(address from) internal view virtual returns (bool);

    /// @dev Reverts with `InvalidReceiver` for an address that cannot hold units.
    function requireReceiver(address to) internal view virtual;

    /// @dev The first ten bytes are 0xb2 and zeros.
    function isReserved(address account) internal pure returns (bool) {
        return uint160(account) >> 80 == uint160(0xB2) << 72;
    }

    function requireMinter() internal view {
        requireNotPaused(PausableFeature.MINT);
        requireRole(MINT_ROLE);
    }

    function mintChecked(address to, uint256 amount) internal {
        requireReceiver(to);
        StockStorage.Token storage token = StockStorage.token();
        requirePolicy(MINT_RECEIVER_POLICY, token.mintPolicies.receiver, to);
        uint256 supply = token.totalSupply + amount;
        if (supply > token.supplyCap) revert SupplyCapExceeded(token.supplyCap, supply);
        token.totalSupply = supply;
        unchecked {
            token.balances[to] += amount;
        }
        emit Transfer(address(0), to, amount);
    }

    function burnChecked(uint256 amount) private {
        requireNotPaused(PausableFeature.BURN);
        requireRoleAlways(BURN_ROLE);
        destroy(msg.sender, amount);
    }

    function move(address from, address to, uint256 amount) private {
        take(from, amount);
        unchecked {
            StockStorage.token().balances[to] += amount;
        }
        emit Transfer(from, to, amount);
    }

    function destroy(address from, uint256 amount) private {
        take(from, amount);
        unchecked {
            StockStorage.token().totalSupply -= amount;
        }
        emit Transfer(from, address(0), amount);
    }

    function take(address from, uint256 amount) private {
        StockStorage.Token storage token = StockStorage.token();
        uint256 balance = token.balances[from];
        if (balance < amount) revert InsufficientBalance(from, balance, amount);
        unchecked {
            token.balances[from] = balance - amount;
        }
    }
}
