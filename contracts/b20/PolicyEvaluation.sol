// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {NativeTokens} from "./NativeTokens.sol";
import {PolicyStorage} from "./PolicyStorage.sol";

enum PolicyType {
    BLOCKLIST,
    ALLOWLIST,
    UNION,
    INTERSECT
}

/// @title Reading policies
/// @notice An identifier has the type in bits 56 to 62 and a counter below. Bit 63 inverts the policy (Denim).
abstract contract PolicyEvaluation {
    uint64 internal constant ALWAYS_ALLOW = 0;
    uint64 internal constant ALWAYS_BLOCK = (1 << 56) | 1;
    uint64 private constant INVERTED = 1 << 63;
    uint256 private constant EXISTS = 1 << 255;

    uint8 private immutable upgrade;

    constructor(uint8 upgrade_) {
        upgrade = upgrade_;
    }

    /// @notice Whether a policy admits an account. Never reverts: a malformed or inverted missing policy admits none.
    function isAuthorized(uint64 policyId, address account) public view returns (bool) {
        if (policyId == ALWAYS_ALLOW) return true;
        if (policyId == ALWAYS_BLOCK) return false;
        uint64 base = baseOf(policyId);
        if (base != policyId) return policyExists(base) && !isAuthorized(base, account);
        if (!isWellFormed(policyId)) return false;
        if (isCompositeType(typeOf(policyId))) return isAuthorizedByChildren(policyId, account);
        bool isMember = PolicyStorage.registry().members[policyId][account];
        return isMember == (typeOf(policyId) == uint8(PolicyType.ALLOWLIST));
    }

    function policyExists(uint64 policyId) public view returns (bool) {
        uint64 base = baseOf(policyId);
        if (base == ALWAYS_ALLOW || base == ALWAYS_BLOCK) return true;
        return isWellFormed(base) && PolicyStorage.registry().policies[base] != 0;
    }

    /// @return the zero address for a policy without one
    function policyAdmin(uint64 policyId) external view returns (address) {
        return adminIn(PolicyStorage.registry().policies[baseOf(policyId)]);
    }

    /// @return the zero address for a policy without one
    function pendingPolicyAdmin(uint64 policyId) external view returns (address) {
        return PolicyStorage.registry().pendingAdmins[baseOf(policyId)];
    }

    function compositePolicyChildIds(uint64 policyId) external view returns (uint64[] memory) {
        return PolicyStorage.registry().children[baseOf(policyId)];
    }

    function invertedPolicyId(uint64 policyId) external pure returns (uint64) {
        return policyId ^ INVERTED;
    }

    function isAuthorizedByChildren(uint64 policyId, address account) private view returns (bool) {
        bool isUnion = typeOf(policyId) == uint8(PolicyType.UNION);
        uint64[] storage children = PolicyStorage.registry().children[policyId];
        for (uint256 index = 0; index < children.length; index++) {
            if (isAuthorized(children[index], account) == isUnion) return isUnion;
        }
        return !isUnion;
    }

    function typeOf(uint64 policyId) internal pure returns (uint8) {
        return uint8(policyId >> 56);
    }

    function isCompositeType(uint8 policyType) internal pure returns (bool) {
        return policyType == uint8(PolicyType.UNION) || policyType == uint8(PolicyType.INTERSECT);
    }

    /// @dev The identifier without the inversion, which exists from Denim on.
    function baseOf(uint64 policyId) internal view returns (uint64) {
        return upgrade >= NativeTokens.DENIM ? policyId & ~INVERTED : policyId;
    }

    function packed(address admin) internal pure returns (uint256) {
        return EXISTS | uint160(admin);
    }

    function adminIn(uint256 policy) internal pure returns (address) {
        return address(uint160(policy));
    }

    function isWellFormed(uint64 policyId) private view returns (bool) {
        PolicyType last = upgrade >= NativeTokens.COBALT ? PolicyType.INTERSECT : PolicyType.ALLOWLIST;
        return typeOf(policyId) <= uint8(last);
    }
}
