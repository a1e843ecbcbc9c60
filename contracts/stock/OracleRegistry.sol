// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface MultiplierToken {
    function multiplier() external view returns (uint256);
}

/// @title Oracle registry of the demonstration stocks
/// @notice The interface of Base's OracleRegistry: one call returns the multiplier of a token and whether its price
///         feed is paused for a corporate action. Roles are those of OpenZeppelin's AccessControl.
contract OracleRegistry {
    bytes32 public constant DEFAULT_ADMIN_ROLE = 0;
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    mapping(bytes32 role => mapping(address account => bool)) public hasRole;
    mapping(address token => bool) private isPaused;

    event OraclePausedSet(address indexed token, bool paused);
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);

    error AccessControlUnauthorizedAccount(address account, bytes32 neededRole);
    error AccessControlBadConfirmation();

    modifier onlyRole(bytes32 role) {
        if (!hasRole[role][msg.sender]) revert AccessControlUnauthorizedAccount(msg.sender, role);
        _;
    }

    /// @param admin holds both roles
    constructor(address admin) {
        setRole(DEFAULT_ADMIN_ROLE, admin, true);
        setRole(PAUSER_ROLE, admin, true);
    }

    /// @return multiplier shares per token, with 18 decimals
    /// @return paused whether the price feed of the token holds its last value because of a corporate action
    function getOracleParams(address token) external view returns (uint256 multiplier, bool paused) {
        return (MultiplierToken(token).multiplier(), isPaused[token]);
    }

    function setOraclePaused(address token, bool paused) external onlyRole(PAUSER_ROLE) {
        isPaused[token] = paused;
        emit OraclePausedSet(token, paused);
    }

    /// @notice The admin of every role is DEFAULT_ADMIN_ROLE.
    function getRoleAdmin(bytes32) external pure returns (bytes32) {
        return DEFAULT_ADMIN_ROLE;
    }

    function grantRole(bytes32 role, address account) external onlyRole(DEFAULT_ADMIN_ROLE) {
        setRole(role, account, true);
    }

    function revokeRole(bytes32 role, address account) external onlyRole(DEFAULT_ADMIN_ROLE) {
        setRole(role, account, false);
    }

    /// @param callerConfirmation the caller's address, to prevent renouncing by mistake
    function renounceRole(bytes32 role, address callerConfirmation) external {
        if (callerConfirmation != msg.sender) revert AccessControlBadConfirmation();
        setRole(role, msg.sender, false);
    }

    /// @notice ERC-165, with the identifier of OpenZeppelin's IAccessControl.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7 || interfaceId == 0x7965db0b;
    }

    function setRole(bytes32 role, address account, bool held) private {
        if (hasRole[role][account] == held) return;
        hasRole[role][account] = held;
        if (held) emit RoleGranted(role, account, msg.sender);
        else emit RoleRevoked(role, account, msg.sender);
    }
}
