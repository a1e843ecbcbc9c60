// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Features that can be paused separately; ordinals are the bits of the mask in storage and in REST responses.
enum PausableFeature {
    TRANSFER,
    MINT,
    BURN,
    SEIZE
}

/// @title Events of a stock token
interface StockEvents {
    // ERC-20. A mint has the zero address as sender, a burn as recipient.
    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);
    /// @notice Follows the `Transfer` that it belongs to.
    event Memo(address indexed caller, bytes32 indexed memo);
    event BurnedBlocked(address indexed caller, address indexed from, uint256 amount);
    event Seized(address indexed caller, address indexed from, address indexed to, uint256 amount);

    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole);
    event LastAdminRenounced(address indexed previousAdmin);

    /// @notice `features` are those of the call, not all that are paused.
    event Paused(address indexed updater, PausableFeature[] features);
    event Unpaused(address indexed updater, PausableFeature[] features);
    event PolicyUpdated(bytes32 indexed policyScope, uint64 oldPolicyId, uint64 newPolicyId);
    event SupplyCapUpdated(address indexed updater, uint256 oldSupplyCap, uint256 newSupplyCap);

    /// @notice ERC-7572.
    event ContractURIUpdated();
    event NameUpdated(address indexed updater, string newName);
    event SymbolUpdated(address indexed updater, string newSymbol);
    /// @notice ERC-5267: the name is part of the domain of permit signatures.
    event EIP712DomainChanged();
    event ExtraMetadataUpdated(string key, string value);

    /// @notice ERC-8056. No event marks the time `effectiveAt`.
    event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 effectiveAt);
    event UIMultiplierUpdateCancelled(uint256 cancelledMultiplier, uint256 cancelledEffectiveAt);
    event MultiplierUpdated(uint256 multiplier);

    event Announcement(address indexed caller, string id, string description, string uri);
    event EndAnnouncement(string id);
}

/// @title Errors of a stock token
interface StockErrors {
    error AlreadyInitialized();
    error InitCallFailed(uint256 index);

    error AccessControlUnauthorizedAccount(address account, bytes32 neededRole);
    error AccessControlBadConfirmation();
    error LastAdminCannotRenounce();
    error NotSoleAdmin();

    error ContractPaused(PausableFeature feature);
    error EmptyFeatureSet();

    error InvalidSender(address sender);
    error InvalidReceiver(address receiver);
    error InvalidApprover(address approver);
    error InvalidSpender(address spender);
    error InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
    error InsufficientBalance(address sender, uint256 balance, uint256 needed);

    error InvalidSupplyCap(uint256 currentSupply, uint256 proposedCap);
    error SupplyCapExceeded(uint256 cap, uint256 attempted);
    error LengthMismatch(uint256 recipients, uint256 amounts);
    error EmptyBatch();

    error PolicyForbids(bytes32 policyScope, uint64 policyId);
    error PolicyNotFound(uint64 policyId);
    error UnsupportedPolicyType(bytes32 policyScope);
    error AccountNotBlocked(address account);
    error AccountNotSeizable(address account);

    error ExpiredSignature(uint256 deadline);
    error InvalidSigner(address signer, address owner);

    error InvalidMultiplier();
    error EffectiveAtInPast(uint256 effectiveAt);
    error EffectiveAtTooFar(uint256 effectiveAt);
    error UIMultiplierUpdateExists(uint256 effectiveAt);
    error UIMultiplierUpdateDoesNotExist();

    error InvalidMetadataKey();
    error AnnouncementIdAlreadyUsed(string id);
    error AnnouncementInProgress();
    error InternalCallMalformed(bytes call);
    error InternalCallFailed(bytes call);
}
