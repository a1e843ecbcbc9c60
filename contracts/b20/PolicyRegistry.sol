// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ActivationRegistry} from "./ActivationRegistry.sol";
import {NativeTokens, UnknownFunctions} from "./NativeTokens.sol";
import {PolicyEvaluation, PolicyType} from "./PolicyEvaluation.sol";
import {PolicyStorage} from "./PolicyStorage.sol";

/// @title Policies: lists of accounts, and unions and intersections of such lists
/// @notice Any account may create a policy. Its admin changes it.
contract PolicyRegistry is PolicyEvaluation, UnknownFunctions {
    uint256 public constant MIN_COMPOSITE_CHILD_POLICIES = 2;
    uint256 public constant MAX_COMPOSITE_CHILD_POLICIES = 4;
    uint256 private constant MAX_BATCH_SIZE = 64;
    /// @dev Counters 0 and 1 are those of the built-in policies.
    uint56 private constant FIRST_COUNTER = 2;

    event PolicyCreated(uint64 indexed policyId, address indexed creator, PolicyType policyType);
    event PolicyAdminStaged(uint64 indexed policyId, address indexed currentAdmin, address indexed pendingAdmin);
    event PolicyAdminUpdated(uint64 indexed policyId, address indexed previousAdmin, address indexed newAdmin);
    event AllowlistUpdated(uint64 indexed policyId, address indexed updater, bool allowed, address[] accounts);
    event BlocklistUpdated(uint64 indexed policyId, address indexed updater, bool blocked, address[] accounts);
    event CompositePolicyUpdated(uint64 indexed policyId, address indexed updater, uint64[] childPolicyIds);

    error NonPayable();
    error FeatureNotActivated(bytes32 feature);
    error ZeroAddress();
    error IncompatiblePolicyType();
    error PolicyNotFound();
    error NoPendingAdmin();
    error Unauthorized();
    error ChildPoliciesOutsideOfRange();
    error InvalidChildPolicy(uint64 childPolicyId);
    error BatchSizeTooLarge(uint256 maxBatchSize);

    modifier whenActivated() {
        if (!ActivationRegistry(NativeTokens.ACTIVATION_REGISTRY).isActivated(NativeTokens.POLICY_REGISTRY_FEATURE)) {
            revert FeatureNotActivated(NativeTokens.POLICY_REGISTRY_FEATURE);
        }
        _;
    }

    /// @param upgrade_ upgrade of Base: 1 Beryl, 2 Cobalt, 3 Denim
    constructor(uint8 upgrade_) PolicyEvaluation(upgrade_) {}

    function createPolicy(address admin, PolicyType policyType) external whenActivated returns (uint64 newPolicyId) {
        requireSimple(admin, policyType);
        return create(admin, policyType);
    }

    function createPolicyWithAccounts(address admin, PolicyType policyType, address[] calldata accounts)
        external
        whenActivated
        returns (uint64 newPolicyId)
    {
        requireSimple(admin, policyType);
        requireBatch(accounts);
        newPolicyId = create(admin, policyType);
        setMembers(newPolicyId, true, accounts);
    }

    /// @param childPolicyIds two to four policies with lists
    function createCompositePolicy(address admin, PolicyType policyType, uint64[] calldata childPolicyIds)
        external
        whenActivated
        returns (uint64 newPolicyId)
    {
        if (admin == address(0)) revert ZeroAddress();
        if (!isCompositeType(uint8(policyType))) revert IncompatiblePolicyType();
        requireChildren(childPolicyIds);
        newPolicyId = create(admin, policyType);
        setChildren(newPolicyId, childPolicyIds);
    }

    function updateAllowlist(uint64 policyId, bool allowed, address[] calldata accounts) external whenActivated {
        updateMembers(policyId, PolicyType.ALLOWLIST, allowed, accounts);
    }

    function updateBlocklist(uint64 policyId, bool blocked, address[] calldata accounts) external whenActivated {
        updateMembers(policyId, PolicyType.BLOCKLIST, blocked, accounts);
    }

    /// @notice Replaces the children.
    function updateComposite(uint64 policyId, uint64[] calldata childPolicyIds) external whenActivated {
        requireCreated(policyId);
        if (!isCompositeType(typeOf(policyId))) revert IncompatiblePolicyType();
        requireAdmin(policyId);
        requireChildren(childPolicyIds);
        setChildren(policyId, childPolicyIds);
    }

    /// @notice Offers the policy to another admin, who accepts with `finalizeUpdateAdmin`.
    /// @param newAdmin the zero address withdraws an offer
    function stageUpdateAdmin(uint64 policyId, address newAdmin) external whenActivated {
        requireCreated(policyId);
        requireAdmin(policyId);
        PolicyStorage.registry().pendingAdmins[policyId] = newAdmin;
        emit PolicyAdminStaged(policyId, msg.sender, newAdmin);
    }

    function finalizeUpdateAdmin(uint64 policyId) external whenActivated {
        requireCreated(policyId);
        address pending = PolicyStorage.registry().pendingAdmins[policyId];
        if (pending == address(0)) revert NoPendingAdmin();
        if (pending != msg.sender) revert Unauthorized();
        replaceAdmin(policyId, msg.sender);
    }

    /// @notice Leaves the policy without an admin, permanently.
    function renounceAdmin(uint64 policyId) external whenActivated {
        requireCreated(policyId);
        requireAdmin(policyId);
        replaceAdmin(policyId, address(0));
    }

    function create(address admin, PolicyType policyType) private returns (uint64 policyId) {
        NativeTokens.placeMarker(address(this));
        PolicyStorage.Registry storage registry = PolicyStorage.registry();
        if (registry.nextCounter < FIRST_COUNTER) {
            registry.policies[ALWAYS_ALLOW] = packed(address(0));
            registry.policies[ALWAYS_BLOCK] = packed(address(0));
            registry.nextCounter = FIRST_COUNTER;
        }
        policyId = uint64(uint8(policyType)) << 56 | registry.nextCounter;
        registry.nextCounter += 1;
        registry.policies[policyId] = packed(admin);
        emit PolicyCreated(policyId, msg.sender, policyType);
        emit PolicyAdminUpdated(policyId, address(0), admin);
    }

    function updateMembers(uint64 policyId, PolicyType policyType, bool isMember, address[] calldata accounts)
        private
    {
        requireCreated(policyId);
        if (typeOf(policyId) != uint8(policyType)) revert IncompatiblePolicyType();
        requireAdmin(policyId);
        requireBatch(accounts);
        setMembers(policyId, isMember, accounts);
    }

    function setMembers(uint64 policyId, bool isMember, address[] calldata accounts) private {
        mapping(address => bool) storage members = PolicyStorage.registry().members[policyId];
        for (uint256 index = 0; index < accounts.length; index++) {
            members[accounts[index]] = isMember;
        }
        if (typeOf(policyId) == uint8(PolicyType.ALLOWLIST)) {
            emit AllowlistUpdated(policyId, msg.sender, isMember, accounts);
        } else {
            emit BlocklistUpdated(policyId, msg.sender, isMember, accounts);
        }
    }

    function setChildren(uint64 policyId, uint64[] calldata childPolicyIds) private {
        PolicyStorage.registry().children[policyId] = childPolicyIds;
        emit CompositePolicyUpdated(policyId, msg.sender, childPolicyIds);
    }

    function replaceAdmin(uint64 policyId, address newAdmin) private {
        PolicyStorage.Registry storage registry = PolicyStorage.registry();
        address previousAdmin = adminIn(registry.policies[policyId]);
        registry.policies[policyId] = packed(newAdmin);
        delete registry.pendingAdmins[policyId];
        emit PolicyAdminUpdated(policyId, previousAdmin, newAdmin);
    }

    function requireSimple(address admin, PolicyType policyType) private pure {
        if (admin == address(0)) revert ZeroAddress();
        if (isCompositeType(uint8(policyType))) revert IncompatiblePolicyType();
    }

    function requireBatch(address[] calldata accounts) private pure {
        if (accounts.length > MAX_BATCH_SIZE) revert BatchSizeTooLarge(MAX_BATCH_SIZE);
    }

    function requireCreated(uint64 policyId) private view {
        if (PolicyStorage.registry().policies[policyId] == 0) revert PolicyNotFound();
    }

    function requireAdmin(uint64 policyId) private view {
        if (adminIn(PolicyStorage.registry().policies[policyId]) != msg.sender) revert Unauthorized();
    }

    /// @dev In two passes, because a missing child takes precedence over an unsuitable one.
    function requireChildren(uint64[] calldata childPolicyIds) private view {
        uint256 count = childPolicyIds.length;
        if (count < MIN_COMPOSITE_CHILD_POLICIES || count > MAX_COMPOSITE_CHILD_POLICIES) {
            revert ChildPoliciesOutsideOfRange();
        }
        for (uint256 index = 0; index < count; index++) {
            requireCreated(baseOf(childPolicyIds[index]));
        }
        for (uint256 index = 0; index < count; index++) {
            uint64 base = baseOf(childPolicyIds[index]);
            bool isBuiltIn = base == ALWAYS_ALLOW || base == ALWAYS_BLOCK;
            if (isBuiltIn || isCompositeType(typeOf(base))) revert InvalidChildPolicy(childPolicyIds[index]);
        }
    }
}
