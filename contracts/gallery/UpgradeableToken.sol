// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "../tokens/ERC20.sol";

/// @title The code behind the upgradeable token at first: harmless.
contract UpgradeableToken is ERC20 {
    error AlreadyInitialized();

    address public owner;
    mapping(address pool => bool) public isMarket;

    constructor() {
        // The implementation itself is nobody's token.
        owner = address(0xdead);
    }

    function initialize(string calldata n, string calldata s, uint256 supply) external {
        if (owner != address(0)) revert AlreadyInitialized();
        _name = n;
        _symbol = s;
        owner = msg.sender;
        _mint(msg.sender, supply);
    }

    function setMarket(address pool, bool market) external {
        if (msg.sender == owner) isMarket[pool] = market;
    }
}
