// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IProxy {
    function implementation() external view returns (address);
    function admin() external view returns (address);
    function changeAdmin(address newAdmin) external;
    function upgradeTo(address newImplementation) external;
    function upgradeToAndCall(address newImplementation, bytes calldata data) external payable returns (bytes memory);
}

interface IChugSplashProxy {
    function getImplementation() external view returns (address);
    function getOwner() external view returns (address);
    function setOwner(address newOwner) external;
    function setStorage(bytes32 key, bytes32 value) external;
}

interface IAddressManager {
    function owner() external view returns (address);
    function transferOwnership(address newOwner) external;
    function getAddress(string calldata name) external view returns (address);
    function setAddress(string calldata name, address value) external;
}

interface IContractsManager {
    function upgrade() external;
}

/// @title Admin of the predeploys' proxies
/// @notice Upgrades proxies for its owner, also two older kinds that the predeploys do not have. Interface, storage
///   and answers are those of the OP stack's contract on layer 2.
contract ProxyAdmin {
    enum ProxyType {
        ERC1967,
        CHUGSPLASH,
        RESOLVED
    }

    error L2ProxyAdmin__Unauthorized();
    error L2ProxyAdmin__UpgradeFailed(bytes data);

    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event PredeploysUpgraded(address indexed l2ContractsManager);

    /// Selector of the deployed contract's error for an address without code, whose name is not published.
    bytes4 private constant NO_CODE = 0xe1e56d9d;
    address private constant DEPOSITOR_ACCOUNT = 0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001;
    bytes32 private constant IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    address public owner;
    mapping(address => ProxyType) public proxyType;
    mapping(address => string) public implementationName;
    IAddressManager public addressManager;
    bool private upgrading;

    modifier onlyOwner() {
        require(msg.sender == owner, "Ownable: caller is not the owner");
        _;
    }

    function renounceOwnership() external onlyOwner {
        setOwner(address(0));
    }

    function transferOwnership(address newOwner) external onlyOwner {
        require(newOwner != address(0), "Ownable: new owner is the zero address");
        setOwner(newOwner);
    }

    function setProxyType(address proxy, ProxyType kind) external onlyOwner {
        proxyType[proxy] = kind;
    }

    function setImplementationName(address proxy, string calldata name) external onlyOwner {
        implementationName[proxy] = name;
    }

    function setAddressManager(IAddressManager manager) external onlyOwner {
        addressManager = manager;
    }

    function setAddress(string calldata name, address value) external onlyOwner {
        addressManager.setAddress(name, value);
    }

    function setUpgrading(bool isOn) external onlyOwner {
        upgrading = isOn;
    }

    function isUpgrading() external view returns (bool) {
        return upgrading;
    }

    function getProxyImplementation(address proxy) external view returns (address) {
        ProxyType kind = proxyType[proxy];
        if (kind == ProxyType.ERC1967) return IProxy(proxy).implementation();
        if (kind == ProxyType.CHUGSPLASH) return IChugSplashProxy(proxy).getImplementation();
        return addressManager.getAddress(implementationName[proxy]);
    }

    function getProxyAdmin(address payable proxy) external view returns (address) {
        ProxyType kind = proxyType[proxy];
        if (kind == ProxyType.ERC1967) return IProxy(proxy).admin();
        if (kind == ProxyType.CHUGSPLASH) return IChugSplashProxy(proxy).getOwner();
        return addressManager.owner();
    }

    function changeProxyAdmin(address payable proxy, address newAdmin) external onlyOwner {
        ProxyType kind = proxyType[proxy];
        if (kind == ProxyType.ERC1967) IProxy(proxy).changeAdmin(newAdmin);
        else if (kind == ProxyType.CHUGSPLASH) IChugSplashProxy(proxy).setOwner(newAdmin);
        else addressManager.transferOwnership(newAdmin);
    }

    function upgrade(address payable proxy, address newImplementation) public onlyOwner {
        ProxyType kind = proxyType[proxy];
        if (kind == ProxyType.ERC1967) {
            IProxy(proxy).upgradeTo(newImplementation);
        } else if (kind == ProxyType.CHUGSPLASH) {
            IChugSplashProxy(proxy).setStorage(IMPLEMENTATION_SLOT, bytes32(uint256(uint160(newImplementation))));
        } else {
            addressManager.setAddress(implementationName[proxy], newImplementation);
        }
    }

    function upgradeAndCall(address payable proxy, address newImplementation, bytes calldata data)
        external
        payable
        onlyOwner
    {
        if (proxyType[proxy] == ProxyType.ERC1967) {
            IProxy(proxy).upgradeToAndCall{value: msg.value}(newImplementation, data);
        } else {
            upgrade(proxy, newImplementation);
            (bool isOk,) = proxy.call{value: msg.value}(data);
            require(isOk, "ProxyAdmin: call to proxy after upgrade failed");
        }
    }

    /// Runs an upgrade of the protocol in the context of this contract.
    function upgradePredeploys(address l2ContractsManager) external {
        if (msg.sender != DEPOSITOR_ACCOUNT) revert L2ProxyAdmin__Unauthorized();
        if (l2ContractsManager.code.length == 0) {
            bytes memory reason = abi.encodeWithSelector(NO_CODE, l2ContractsManager);
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
        (bool isOk, bytes memory data) = l2ContractsManager.delegatecall(abi.encodeCall(IContractsManager.upgrade, ()));
        if (!isOk) revert L2ProxyAdmin__UpgradeFailed(data);
        emit PredeploysUpgraded(l2ContractsManager);
    }

    function version() external pure returns (string memory) {
        return "1.0.0";
    }

    function setOwner(address newOwner) private {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }
}
