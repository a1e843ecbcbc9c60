// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IOwned {
    function owner() external view returns (address);
}

/// @title A contract behind the proxy of a predeploy
/// @notice Getters for the admin of its proxy (EIP-1967) and for the owner of that admin.
abstract contract ProxyAdminOwned {
    error ProxyAdminOwnedBase_NotResolvedDelegateProxy();

    bytes32 private constant ADMIN_SLOT = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    function proxyAdmin() public view returns (address admin) {
        assembly {
            admin := sload(ADMIN_SLOT)
        }
        // The OP stack has an older kind of proxy, which is on layer 1 only.
        if (admin == address(0)) revert ProxyAdminOwnedBase_NotResolvedDelegateProxy();
    }

    function proxyAdminOwner() public view returns (address) {
        return IOwned(proxyAdmin()).owner();
    }
}
