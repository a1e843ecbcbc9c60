// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Proxy of a predeploy
/// @notice The proxy in front of a predeploy. Its admin, the ProxyAdmin, sees functions of its own; everybody else
///   sees those of the implementation (EIP-1967 storage, interface of the OP stack's proxy).
contract PredeployProxy {
    event Upgraded(address indexed implementation);
    event AdminChanged(address previousAdmin, address newAdmin);

    bytes32 private constant IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    bytes32 private constant ADMIN_SLOT = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    /// The functions of the admin, also in calls from the zero address, as wallets and nodes read them.
    modifier onlyAdminElseDelegate() {
        if (msg.sender != load(ADMIN_SLOT) && msg.sender != address(0)) delegate();
        _;
    }

    receive() external payable {
        delegate();
    }

    fallback() external payable {
        delegate();
    }

    function admin() external onlyAdminElseDelegate returns (address) {
        return load(ADMIN_SLOT);
    }

    function implementation() external onlyAdminElseDelegate returns (address) {
        return load(IMPLEMENTATION_SLOT);
    }

    function changeAdmin(address newAdmin) external onlyAdminElseDelegate {
        emit AdminChanged(load(ADMIN_SLOT), newAdmin);
        store(ADMIN_SLOT, newAdmin);
    }

    function upgradeTo(address newImplementation) external onlyAdminElseDelegate {
        upgrade(newImplementation);
    }

    function upgradeToAndCall(address newImplementation, bytes calldata data)
        external
        payable
        onlyAdminElseDelegate
        returns (bytes memory)
    {
        upgrade(newImplementation);
        (bool isOk, bytes memory result) = newImplementation.delegatecall(data);
        require(isOk, "Proxy: delegatecall to new implementation contract failed");
        return result;
    }

    function upgrade(address newImplementation) private {
        store(IMPLEMENTATION_SLOT, newImplementation);
        emit Upgraded(newImplementation);
    }

    /// Ends the call with the result of the implementation.
    function delegate() private {
        address target = load(IMPLEMENTATION_SLOT);
        require(target != address(0), "Proxy: implementation not initialized");
        assembly {
            calldatacopy(0, 0, calldatasize())
            let isOk := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if isOk { return(0, returndatasize()) }
            revert(0, returndatasize())
        }
    }

    function load(bytes32 slot) private view returns (address value) {
        assembly {
            value := sload(slot)
        }
    }

    function store(bytes32 slot, address value) private {
        assembly {
            sstore(slot, value)
        }
    }
}
