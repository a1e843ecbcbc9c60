// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PausableFeature, StockErrors, StockEvents} from "./StockInterface.sol";
import {StockStorage} from "./StockStorage.sol";

/// @title Access control: roles, pauses and transfer policies
/// @dev   The admin of a role without one is DEFAULT_ADMIN_ROLE, because unset storage reads as zero.
abstract contract StockAccess is StockEvents, StockErrors {
    bytes32 public constant DEFAULT_ADMIN_ROLE = 0;
    bytes32 public constant MINT_ROLE = keccak256("MINT_ROLE");
    bytes32 public constant BURN_ROLE = keccak256("BURN_ROLE");
    bytes32 public constant BURN_BLOCKED_ROLE = keccak256("BURN_BLOCKED_ROLE");
    bytes32 public constant SEIZE_ROLE = keccak256("SEIZE_ROLE");
    bytes32 public constant PAUSE_ROLE = keccak256("PAUSE_ROLE");
    bytes32 public constant UNPAUSE_ROLE = keccak256("UNPAUSE_ROLE");
    bytes32 public constant METADATA_ROLE = keccak256("METADATA_ROLE");

    bytes32 public constant TRANSFER_SENDER_POLICY = keccak256("TRANSFER_SENDER_POLICY");
    bytes32 public constant TRANSFER_RECEIVER_POLICY = keccak256("TRANSFER_RECEIVER_POLICY");
    bytes32 public constant TRANSFER_EXECUTOR_POLICY = keccak256("TRANSFER_EXECUTOR_POLICY");
    bytes32 public constant MINT_RECEIVER_POLICY = keccak256("MINT_RECEIVER_POLICY");
    bytes32 public constant SEIZE_EXEMPT_POLICY = keccak256("SEIZE_EXEMPT_POLICY");
    bytes32 public constant SEIZE_RECEIVER_POLICY = keccak256("SEIZE_RECEIVER_POLICY");

    uint64 internal constant ALWAYS_ALLOW = 0;
    uint64 internal constant ALWAYS_BLOCK = (1 << 56) | 1;

    /// @dev True while a new token runs its first calls: roles and transfer policies do not apply yet.
    bool internal transient creating;

    function hasRole(bytes32 role, address account) public view returns (bool) {
        return StockStorage.token().roles[role][account];
    }

    function getRoleAdmin(bytes32 role) external view returns (bytes32) {
        return StockStorage.token().roleAdmins[role];
    }

    /// @dev Not even the first calls of a token without an admin can give it one.
    function grantRole(bytes32 role, address account) external {
        if (creating && role == DEFAULT_ADMIN_ROLE && StockStorage.token().adminCount == 0) {
            revert AccessControlUnauthorizedAccount(msg.sender, DEFAULT_ADMIN_ROLE);
        }
        requireAdminOf(role);
        setRole(role, account, true);
    }

    function revokeRole(bytes32 role, address account) external {
        requireAdminOf(role);
        refuseLastAdmin(role, account);
        setRole(role, account, false);
    }

    /// @param callerConfirmation the caller's address, to prevent renouncing by mistake
    function renounceRole(bytes32 role, address callerConfirmation) external {
        if (callerConfirmation != msg.sender) revert AccessControlBadConfirmation();
        refuseLastAdmin(role, msg.sender);
        setRole(role, msg.sender, false);
    }

    /// @notice Removes the last admin permanently.
    function renounceLastAdmin() external {
        if (!hasRole(DEFAULT_ADMIN_ROLE, msg.sender)) {
            revert AccessControlUnauthorizedAccount(msg.sender, DEFAULT_ADMIN_ROLE);
        }
        if (StockStorage.token().adminCount != 1) revert NotSoleAdmin();
        setRole(DEFAULT_ADMIN_ROLE, msg.sender, false);
        emit LastAdminRenounced(msg.sender);
    }

    function setRoleAdmin(bytes32 role, bytes32 newAdminRole) external {
        requireAdminOf(role);
        StockStorage.Token storage token = StockStorage.token();
        bytes32 previousAdminRole = token.roleAdmins[role];
        token.roleAdmins[role] = newAdminRole;
        emit RoleAdminChanged(role, previousAdminRole, newAdminRole);
    }

    function isPaused(PausableFeature feature) public view returns (bool) {
        requireFeature(feature);
        return (StockStorage.token().pausedVectors >> uint8(feature)) & 1 == 1;
    }

    /// @return features in ascending order
    function pausedFeatures() external view returns (PausableFeature[] memory features) {
        uint256 vectors = StockStorage.token().pausedVectors;
        features = new PausableFeature[](4);
        uint256 count;
        for (uint8 ordinal = 0; ordinal < 4; ordinal++) {
            if ((vectors >> ordinal) & 1 == 1) features[count++] = PausableFeature(ordinal);
        }
        assembly {
            mstore(features, count)
        }
    }

    function pause(PausableFeature[] calldata features) external {
        requireRole(PAUSE_ROLE);
        StockStorage.token().pausedVectors |= maskOf(features);
        emit Paused(msg.sender, features);
    }

    function unpause(PausableFeature[] calldata features) external {
        requireRole(UNPAUSE_ROLE);
        StockStorage.token().pausedVectors &= ~maskOf(features);
        emit Unpaused(msg.sender, features);
    }

    function policyId(bytes32 policyScope) public view returns (uint64) {
        StockStorage.Token storage token = StockStorage.token();
        if (policyScope == TRANSFER_SENDER_POLICY) return token.transferPolicies.sender;
        if (policyScope == TRANSFER_RECEIVER_POLICY) return token.transferPolicies.receiver;
        if (policyScope == TRANSFER_EXECUTOR_POLICY) return token.transferPolicies.executor;
        if (policyScope == MINT_RECEIVER_POLICY) return token.mintPolicies.receiver;
        if (policyScope == SEIZE_EXEMPT_POLICY && hasCobaltRules()) return token.seizePolicies.exempt;
        if (policyScope == SEIZE_RECEIVER_POLICY && hasCobaltRules()) return token.seizePolicies.receiver;
        revert UnsupportedPolicyType(policyScope);
    }

    /// @param newPolicyId a policy that exists; 0 allows all accounts, (1 << 56) | 1 blocks all
    function updatePolicy(bytes32 policyScope, uint64 newPolicyId) external {
        requireRole(DEFAULT_ADMIN_ROLE);
        uint64 oldPolicyId = policyId(policyScope);
        if (!isPolicy(newPolicyId)) revert PolicyNotFound(newPolicyId);
        StockStorage.Token storage token = StockStorage.token();
        if (policyScope == TRANSFER_SENDER_POLICY) token.transferPolicies.sender = newPolicyId;
        else if (policyScope == TRANSFER_RECEIVER_POLICY) token.transferPolicies.receiver = newPolicyId;
        else if (policyScope == TRANSFER_EXECUTOR_POLICY) token.transferPolicies.executor = newPolicyId;
        else if (policyScope == MINT_RECEIVER_POLICY) token.mintPolicies.receiver = newPolicyId;
        else if (policyScope == SEIZE_EXEMPT_POLICY) token.seizePolicies.exempt = newPolicyId;
        else token.seizePolicies.receiver = newPolicyId;
        emit PolicyUpdated(policyScope, oldPolicyId, newPolicyId);
    }

    function requireRole(bytes32 role) internal view {
        if (!creating && !hasRole(role, msg.sender)) revert AccessControlUnauthorizedAccount(msg.sender, role);
    }

    /// @dev As `requireRole`, but applies to the first calls of a new token too.
    function requireRoleAlways(bytes32 role) internal view {
        if (!hasRole(role, msg.sender)) revert AccessControlUnauthorizedAccount(msg.sender, role);
    }

    function requireNotPaused(PausableFeature feature) internal view {
        if (isPaused(feature)) revert ContractPaused(feature);
    }

    function requirePolicy(bytes32 policyScope, uint64 id, address account) internal view {
        if (!isAuthorized(id, account)) revert PolicyForbids(policyScope, id);
    }

    /// @dev Whether a policy admits an account.
    function isAuthorized(uint64 id, address account) internal view virtual returns (bool);

    function isPolicy(uint64 id) internal view virtual returns (bool);

    /// @dev Whether Base's upgrade Cobalt is active, which brought seizing and scheduled multipliers.
    function hasCobaltRules() internal view virtual returns (bool);

    function setRole(bytes32 role, address account, bool held) internal {
        StockStorage.Token storage token = StockStorage.token();
        if (token.roles[role][account] == held) return;
        token.roles[role][account] = held;
        if (role == DEFAULT_ADMIN_ROLE) token.adminCount = held ? token.adminCount + 1 : token.adminCount - 1;
        if (held) emit RoleGranted(role, account, msg.sender);
        else emit RoleRevoked(role, account, msg.sender);
    }

    /// @dev A token without admins cannot get one through a role with another admin: DEFAULT_ADMIN_ROLE administers
    ///      every role, and no account has it.
    function requireAdminOf(bytes32 role) private view {
        if (creating) return;
        StockStorage.Token storage token = StockStorage.token();
        bytes32 adminRole = token.adminCount == 0 ? DEFAULT_ADMIN_ROLE : token.roleAdmins[role];
        if (!hasRole(adminRole, msg.sender)) revert AccessControlUnauthorizedAccount(msg.sender, adminRole);
    }

    function refuseLastAdmin(bytes32 role, address account) private view {
        bool isAdmin = role == DEFAULT_ADMIN_ROLE && hasRole(role, account);
        if (isAdmin && StockStorage.token().adminCount == 1) revert LastAdminCannotRenounce();
    }

    function maskOf(PausableFeature[] calldata features) private view returns (uint256 mask) {
        if (features.length == 0) revert EmptyFeatureSet();
        for (uint256 index = 0; index < features.length; index++) {
            requireFeature(features[index]);
            mask |= 1 << uint8(features[index]);
        }
    }

    /// @dev Refuses a member that the enumeration lacks so far, as its decoder does.
    function requireFeature(PausableFeature feature) private view {
        if (feature == PausableFeature.SEIZE && !hasCobaltRules()) revert();
    }
}
