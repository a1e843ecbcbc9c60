// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IL1Block {
    function gasPayingTokenName() external view returns (string memory);
    function gasPayingTokenSymbol() external view returns (string memory);
}

/// @title Wrapped Ether of OP-stack chains
/// @notice Interface, storage and answers are those of the OP stack's contract, which derives name and symbol from the
///   token that pays for gas, and forwards 2,300 gas with the ether that it returns.
contract WETH {
    IL1Block private constant L1_BLOCK = IL1Block(0x4200000000000000000000000000000000000015);

    uint8 public constant decimals = 18;

    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;

    event Approval(address indexed src, address indexed guy, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    receive() external payable {
        deposit();
    }

    fallback() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        require(balanceOf[msg.sender] >= wad);
        balanceOf[msg.sender] -= wad;
        // A call with ether brings 2,300 gas of its own.
        (bool isOk, bytes memory reason) = payable(msg.sender).call{value: wad, gas: wad == 0 ? 2_300 : 0}("");
        if (!isOk) {
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
        emit Withdrawal(msg.sender, wad);
    }

    function approve(address guy, uint256 wad) external returns (bool) {
        allowance[msg.sender][guy] = wad;
        emit Approval(msg.sender, guy, wad);
        return true;
    }

    function transfer(address dst, uint256 wad) external returns (bool) {
        return transferFrom(msg.sender, dst, wad);
    }

    function transferFrom(address src, address dst, uint256 wad) public returns (bool) {
        require(balanceOf[src] >= wad);
        uint256 allowed = allowance[src][msg.sender];
        if (src != msg.sender && allowed != type(uint256).max) {
            require(allowed >= wad);
            allowance[src][msg.sender] = allowed - wad;
        }
        balanceOf[src] -= wad;
        balanceOf[dst] += wad;
        emit Transfer(src, dst, wad);
        return true;
    }

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function name() external view returns (string memory) {
        return string.concat("Wrapped ", L1_BLOCK.gasPayingTokenName());
    }

    function symbol() external view returns (string memory) {
        return string.concat("W", L1_BLOCK.gasPayingTokenSymbol());
    }

    function version() external pure returns (string memory) {
        return "1.1.1";
    }
}
